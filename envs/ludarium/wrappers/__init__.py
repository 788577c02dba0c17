"""Ludarium for other libraries: Gymnasium's single agent, its vector form, Stable-Baselines3."""
