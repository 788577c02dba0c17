"""Model files of strangers: what is in them, read without trust.

Sizes are checked before anything is unpacked, the shapes of all tensors before a network is built,
and nothing that stands in a file is executed. Whatever is wrong, the error is a `ValueError` that
names the file.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import itertools
import json
import pickletools
import reprlib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ludarium.core.errors import join_or
from ludarium.core.game import Game
from ludarium.single_agent.env import observation_space_of
from ludarium.wrappers.sb3_networks import ACTIVATIONS, EXTRACTORS, Unfit

#: The entries that `save_model` adds: what the file is of, and the statistics of a VecNormalize.
SIDE_ENTRY, STATISTICS_ENTRY, FORMAT = "ludarium.json", "ludarium.f64", 1

MIB = 1 << 20
MOST_BYTES = 512 * MIB  # of a whole file
#: The entries that are read, and the most bytes that each may unpack to.
LIMITS = {
    SIDE_ENTRY: MIB,
    STATISTICS_ENTRY: 16 * MIB,
    "data": 128 * MIB,
    "policy.pth": MOST_BYTES,
    "policy.optimizer.pth": MOST_BYTES,
}
MOST_RATIO = 100  # of unpacked bytes to packed ones, beyond the first MiB
MOST_DIRECTORY = MIB  # bytes of the table of contents of an archive
MOST_OPERATIONS = 200_000  # of the pickle that lists the tensors

# ---------------------------------------------------------------- the file


@dataclass(frozen=True)
class ModelFile:
    """The entries of a model's file that are needed, within the limits.

    Attributes:
        path: where it was read.
        digest: a hash of the whole file, 16 hexadecimal digits.
        entries: name -> bytes, of the names in `LIMITS` that the file has.
    """

    path: Path
    digest: str
    entries: Mapping[str, bytes]

    @property
    def about(self) -> dict[str, Any] | None:
        """The side entry that `save_model` writes; None in a file of SB3's own `save`.

        Raises:
            ValueError: It is damaged, or of another format.
        """
        if SIDE_ENTRY not in self.entries:
            return None
        with damage(self.path):
            about = parse(self.entries[SIDE_ENTRY])
            if not isinstance(about, dict) or about.get("format") != FORMAT:
                raise Unfit(f"has an unknown format: {SIDE_ENTRY} is {reprlib.repr(about)}")
        return about

    def tensors(self, entry: str = "policy.pth") -> Any:
        """Return the tensors of an entry, or the lists and dicts that hold them.

        Raises:
            ValueError: There is no such entry, or it is damaged.
        """
        with damage(self.path):
            if entry not in self.entries:
                raise Unfit(f"has no {entry}")
            return read_tensors(self.entries[entry])


@contextlib.contextmanager
def damage(path: Path, what: str = "is not a model, or is damaged") -> Iterator[None]:
    """Turn every error into one ValueError that names the file."""
    try:
        yield
    except Unfit as error:
        raise ValueError(f"{str(path)!r} {error}") from error
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"{str(path)!r} {what}: {type(error).__name__}: {reason}") from error


def read_file(path: Path) -> ModelFile:
    """Read a model's file.

    Raises:
        ValueError: There is no such file, it is too large, or it is damaged.
        OSError: It cannot be read.
    """
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise ValueError(f"{str(path)!r} is larger than {MOST_BYTES // MIB} MiB: not a model")
    with path.open("rb") as file:
        data = file.read(size)
    digest = hashlib.sha256(data).hexdigest()[:16]
    with damage(path), open_zip(data) as archive:
        found = {info.filename: info for info in archive.infolist() if info.filename in LIMITS}
        for name, info in found.items():
            most = min(LIMITS[name], MIB + MOST_RATIO * info.compress_size)
            if info.file_size > most:
                raise Unfit(f"unpacks {name} to {info.file_size:,} bytes, more than {most:,}")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Unfit(f"packs {name} by method {info.compress_type}, not stored or deflated")
        return ModelFile(path, digest, {name: archive.read(info) for name, info in found.items()})


class _Limited(io.BytesIO):
    """Bytes of which only so many are read at once, until the limit is lifted."""

    limit: int | None = MOST_DIRECTORY

    def read(self, size: int | None = -1, /) -> bytes:
        if self.limit is None:
            return super().read(size)
        wanted = self.limit + 1 if size is None or size < 0 else size
        data = super().read(min(wanted, self.limit + 1))
        if len(data) > self.limit:
            raise Unfit(f"has a table of contents of more than {self.limit:,} bytes")
        return data


def open_zip(data: bytes) -> zipfile.ZipFile:
    """Open an archive whose table of contents is of sensible size, each name once."""
    file = _Limited(data)
    archive = zipfile.ZipFile(file)
    file.limit = None
    names = archive.namelist()
    if len(set(names)) < len(names):
        raise Unfit("has two entries of one name")
    if sum(info.compress_size for info in archive.infolist()) > len(data):
        raise Unfit("has entries that overlap")
    return archive


def parse(data: bytes) -> Any:
    """Return what JSON says; numbers that are not finite are refused."""

    def refuse(word: str) -> None:
        raise Unfit(f"contains {word} where a number is needed")

    return json.loads(data, parse_constant=refuse)


# ---------------------------------------------------------------- tensors


def read_tensors(data: bytes) -> Any:
    """Return what `torch.save` wrote, executing nothing; only its present format is read.

    Raises:
        Exception: Of any type, where the data are damaged; see `damage`.
    """
    with open_zip(data) as archive:
        listing = None
        for info in archive.infolist():
            # torch unpacks entries by itself, without a limit: packed ones are refused
            if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
                raise Unfit(f"packs the tensors: {reprlib.repr(info.filename)} is compressed")
            if info.filename.rpartition("/")[2] == "data.pkl":
                if listing is not None or info.file_size > MOST_DIRECTORY:
                    raise Unfit("has two lists of tensors, or too long a list")
                listing = archive.read(info)
        if listing is None:
            raise Unfit("has no list of tensors")
    _check_listing(listing)
    return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)


def _check_listing(listing: bytes) -> None:
    """Refuse a list of tensors that would take for ever to read.

    Tuples that hold the same tuple twice, over many levels, are small in memory, and hashing the
    outermost takes exponential time. `torch.save` never names a tuple a second time.
    """
    tuples: set[Any] = set()
    before = ""
    for number, (operation, argument, _) in enumerate(pickletools.genops(listing)):
        if number > MOST_OPERATIONS:
            raise Unfit(f"lists its tensors in more than {MOST_OPERATIONS:,} steps")
        if before.startswith("TUPLE") and operation.name in ("BINPUT", "LONG_BINPUT"):
            tuples.add(argument)
        if operation.name in ("BINGET", "LONG_BINGET") and argument in tuples:
            raise Unfit("lists its tensors in tuples that hold each other")
        if operation.name in ("DUP", "MEMOIZE", "PUT", "GET"):
            raise Unfit(f"lists its tensors by {operation.name}, which torch.save does not use")
        before = operation.name


def check_tensors(found: Any, expected: Mapping[str, tuple[int, ...]]) -> dict[str, torch.Tensor]:
    """Return a network's tensors by name, if they are those that the network needs.

    Args:
        found: what was read.
        expected: the shape of each; float32.

    Raises:
        Unfit: One is missing, unknown, of another shape or type, or not finite.
    """
    if not isinstance(found, dict):
        raise Unfit(f"holds {reprlib.repr(found)}, not tensors by name")
    for name in found.keys() - expected.keys():
        raise Unfit(f"has a tensor {reprlib.repr(name)} that its network does not have")
    for name, shape in expected.items():
        if name not in found:
            raise Unfit(f"lacks the tensor {name!r} of its network")
        check_tensor(name, found[name], shape)
    return {name: found[name].detach() for name in expected}


def check_tensor(name: str, tensor: Any, shape: tuple[int, ...]) -> None:
    """Raise `Unfit` unless a value is a plain tensor, float32, of a shape, of finite numbers."""
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        raise Unfit(f"has {reprlib.repr(tensor)} instead of the tensor {name!r}")
    if tuple(tensor.shape) != shape:
        raise Unfit(f"has {name!r} of shape {tuple(tensor.shape)}: its network needs {shape}")
    plain = tensor.layout == torch.strided and tensor.device.type == "cpu"
    if not plain or tensor.dtype != torch.float32:
        raise Unfit(f"has {name!r} of type {tensor.dtype}, {tensor.layout}: float32 is needed")
    if not bool(torch.isfinite(tensor).all()):
        raise Unfit(f"has numbers in {name!r} that are not finite")


# ---------------------------------------------------------------- files of SB3's own save

#: Keyword arguments of a policy that matter for learning only.
FOR_LEARNING = frozenset(
    ("ortho_init", "log_std_init", "optimizer_class", "optimizer_kwargs", "normalize_images")
)


def settings_of_sb3(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what SB3's own settings say, read as JSON: its pickles stay closed.

    SB3 writes beside each pickle the attributes of the pickled object as JSON or as text.

    Returns:
        What a side entry would say of the network and its steps, without the game; and the space
        of the observations, ``{"shape": [...], "dtype": ...}`` or ``{"spaces": text}``, with
        ``"actions"``, their number.

    Raises:
        Unfit: The settings are not those of a model that can be played, or do not say enough.
    """
    settings = parse(data)
    if not isinstance(settings, dict):
        raise Unfit("has no settings of Stable-Baselines3")
    space, actions = settings.get("observation_space"), settings.get("action_space")
    if not isinstance(space, dict) or not isinstance(actions, dict):
        raise Unfit("does not say its observations and actions")
    kwargs = settings.get("policy_kwargs")
    if not isinstance(kwargs, dict):
        raise Unfit("does not say the settings of its network")
    known = {"net_arch", "activation_fn", "features_extractor_class", "features_extractor_kwargs"}
    known |= {"share_features_extractor", ":type:", ":serialized:"} | FOR_LEARNING
    for key in kwargs.keys() - known:
        raise Unfit(f"has a network with {reprlib.repr(key)}, which cannot be rebuilt safely")
    if settings.get("use_sde"):
        raise Unfit("explores by gSDE, which discrete actions do not have")
    if _saw_floats(settings.get("_last_obs")):
        raise Unfit(
            "saw observations that a wrapper such as VecNormalize had changed, and SB3's own save "
            "does not keep the statistics: save it with ludarium.wrappers.sb3.save_model"
        )
    pieces = isinstance(space.get("spaces"), str)
    usual = "CombinedExtractor" if pieces else "FlattenExtractor"
    net_arch = kwargs.get("net_arch")
    if isinstance(net_arch, list) and net_arch and isinstance(net_arch[0], dict):
        net_arch = net_arch[0]  # as SB3 wrote it before 1.8
    about = {
        "num_timesteps": settings.get("num_timesteps"),
        "network": {
            "net_arch": [64, 64] if net_arch is None else net_arch,
            "activation": _class_name(kwargs, "activation_fn", ACTIVATIONS, "Tanh"),
            "extractor": _class_name(kwargs, "features_extractor_class", EXTRACTORS, usual),
            "extractor_options": kwargs.get("features_extractor_kwargs") or {},
            "share_features_extractor": kwargs.get("share_features_extractor", True),
        },
    }
    number = str(actions.get("n"))
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        raise Unfit("does not say how many actions there are: they are not Discrete")
    seen = {"spaces": space["spaces"]} if pieces else {"shape": space.get("_shape")}
    return about, {**seen, "dtype": space.get("dtype"), "actions": int(number)}


def _class_name(kwargs: dict[str, Any], key: str, known: Mapping[str, Any], default: str) -> str:
    """Return the name of a class that SB3 wrote as text."""
    text = kwargs.get(key)
    if text is None:
        return default
    for name, kind in known.items():
        if text == str(kind):
            return name
    raise Unfit(f"has {key} {reprlib.repr(text)}: only {join_or(known)} can be rebuilt safely")


def _saw_floats(observations: Any) -> bool:
    """Return whether the last observations, pickled, are floats; the pickle is not executed."""
    if not isinstance(observations, dict):
        return False
    data = base64.b64decode(str(observations.get(":serialized:", "")))
    steps = itertools.islice(pickletools.genops(data), 500)
    return any(argument in ("f4", "f8", "f2") for _, argument, _ in steps)


def fits(seen: Mapping[str, Any], form: str, game: Game) -> bool:
    """Return whether what `settings_of_sb3` says of the spaces is a game's, in one form."""
    if seen["actions"] != game.num_distinct_actions:
        return False
    space: Any = observation_space_of(game, form)
    if form == "dict":
        return bool(seen.get("spaces") == str(space.spaces))
    return seen.get("dtype") == "int8" and seen.get("shape") == list(space.shape)
