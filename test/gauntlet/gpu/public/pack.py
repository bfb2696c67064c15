"""Packs the pinned packages of the public programs for a machine with a card and no network.

    python3 test/gauntlet/gpu/public/pack.py site.tar.xz [PYTHON_VERSION]

Each package has a folder of its own, so that there only those are put on the path that the machine lacks: path.py.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).parent
PLATFORMS = ("manylinux2014_x86_64", "manylinux_2_28_x86_64")
# Of transformers, the architectures that the programs build, and those that other packages import by name.
NEEDLESS = re.compile(r"(^|/)(tests?|__pycache__|docs|locale)(/|$)|\.pyi$")
ARCHITECTURES = {
    *("auto", "bert", "bloom", "clip", "encoder_decoder", "gpt2", "llama", "mistral", "mixtral", "siglip", "timm_wrapper"),
    "whisper",
}


def is_needed(path):
    name = path.as_posix()
    model = re.match(r"transformers/models/(\w+)/", name)
    return not NEEDLESS.search(name) and (not model or model.group(1) in ARCHITECTURES)


def main():
    target, version = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "3.12"
    pins = [line for line in (HERE / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
    platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
    with tempfile.TemporaryDirectory() as folder, tarfile.open(target, "w:xz", preset=9) as packed:
        for pin in pins:
            place = pathlib.Path(folder) / pin
            subprocess.run(
                [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--only-binary=:all:",
                 "--python-version", version, *platforms, "--implementation", "cp", "--target", place, pin],
                check=True,
            )  # fmt: skip
            for path in sorted(place.rglob("*")):
                if path.is_file() and is_needed(path.relative_to(place)):
                    packed.add(path, f"site/{path.relative_to(folder)}")
            shutil.rmtree(place)


if __name__ == "__main__":
    main()
