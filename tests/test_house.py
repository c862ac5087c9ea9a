"""The house itself: what imports cost, what documentation promises, what a wheel carries."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from pydantic import SecretStr
from pydantic_core import PydanticUndefined

import search
from search import errors
from search.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
#: What `import search` must not load: each costs more than everything else together.
HEAVY = (
    "airflow", "elasticsearch", "fsspec", "httpx", "litellm", "lxml", "networkx", "numpy", "onnxruntime",
    "pydantic", "pydantic_settings", "pymupdf", "rich", "sentence_transformers", "tantivy", "tokenizers",
    "torch", "typer",
)  # fmt: skip


def loaded_after(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after running this code."""
    script = f"import sys\n{code}\nprint(*{{m.split('.')[0] for m in sys.modules}}, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(done.stderr.split())


# ---------------------------------------------------------------- what imports cost
def test_import_search_loads_nothing_heavy():
    """`import search` costs next to nothing: no model runtime, no server framework, not even pydantic."""
    assert not loaded_after("import search") & set(HEAVY)


def test_library_and_settings_load_no_optional_package():
    """The names that users import load no extra: torch, Airflow, litellm, pymupdf, elasticsearch stay out."""
    optional = {"airflow", "elasticsearch", "litellm", "pymupdf", "sentence_transformers", "torch"}
    code = "from search import *\nfrom search import Library, ask, search\nLibrary(home='/nonexistent')"
    assert not loaded_after(code) & optional


def test_help_imports_neither_rich_nor_pydantic():
    """`citewell --help` needs typer only; so does a command's help, for which typer itself wants pydantic."""
    for arguments, wanted in (("--help", {"typer"}), ("search --help", {"typer", "pydantic"})):
        loaded = loaded_after(f"from search.cli import main\nassert main({arguments.split()!r}) == 0")
        assert loaded & set(HEAVY) == wanted


def test_names_are_loaded_when_used():
    """Every name in `__all__` is there, in dir() or not, and an unknown one is an AttributeError."""
    for name in search.__all__:
        assert getattr(search, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_that"):
        search.nothing_like_that  # noqa: B018


def test_the_functions_are_not_shadowed_by_modules():
    """`search.search` and `search.ask` are functions, also after every module of the package is loaded."""
    code = (
        "import search, pkgutil, importlib\n"
        "assert 'search' not in {m.name for m in pkgutil.iter_modules(search.__path__)}\n"
        "assert 'ask' not in {m.name for m in pkgutil.iter_modules(search.__path__)}\n"
        "assert callable(search.search) and callable(search.ask)"
    )
    loaded_after(code)


# ------------------------------------------------------------------ documentation
def table_rows(page: str) -> list[list[str]]:
    """The rows of a page's tables whose first cell is code, as cells."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    cells = [[c.strip() for c in re.split(r"(?<!\\)\|", row)[1:-1]] for row in lines if row.startswith("| `")]
    return [[row[0].strip("`"), *row[1:]] for row in cells]


def test_python_page_lists_every_public_name():
    """docs/python.md and `__all__` name the same things."""
    listed = [row[0] for row in table_rows("python.md")]
    assert sorted(listed) == sorted(search.__all__)


def shown_default(name: str) -> str:
    """A setting's default as docs/settings.md writes it."""
    field = Settings.model_fields[name]
    if name == "home":
        return "the user's data folder"
    assert field.default is not PydanticUndefined
    match field.default:
        case None:
            return "unset"
        case "":
            return "empty"
        case bool():
            return f"`{str(field.default).lower()}`"
        case int() | float():
            return f"`{field.default:g}`"
        case str() | SecretStr():
            return f"`{field.default}`"
    raise AssertionError(name)


def test_settings_page_is_the_code():
    """docs/settings.md lists exactly the settings of the code, with their defaults, in their order."""
    written = [(row[0], row[1]) for row in table_rows("settings.md")]
    assert written == [(f"CITEWELL_{name.upper()}", shown_default(name)) for name in Settings.model_fields]


def commands() -> dict[str, set[str]]:
    """Every command with its long options, as the parser knows them."""
    from typer.main import get_command

    from search.cli.app import app

    def walk(prefix: str, command: object) -> dict[str, set[str]]:
        if children := getattr(command, "commands", None):
            found: dict[str, set[str]] = {}
            for name, child in children.items():
                found |= walk(f"{prefix} {name}".strip(), child)
            return found
        return {prefix: {o for p in command.params for o in p.opts if o.startswith("--")}}

    return walk("", get_command(app))


def test_cli_page_names_every_command_and_option():
    """docs/cli.md describes the commands that exist, no others, and every option of each."""
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    described = re.findall(r"^`citewell ((?:index |watch )?[a-z]+)", page, flags=re.MULTILINE)
    assert set(described) == set(commands())
    options = set().union(*commands().values())
    assert {option for option in options if option not in page} == set()


def test_option_table_is_what_the_commands_take():
    """The table of search options marks exactly the commands that take each."""
    known = commands()
    for row in table_rows("cli.md"):
        if not row[0].startswith("--"):
            continue
        names = re.findall(r"--[a-z-]+", row[0])
        for column, command in enumerate(("search", "semantic", "similar", "ask"), start=1):
            assert (names[0] in known[command]) == (row[column] == "✓"), (names[0], command)


def test_help_lists_the_commands():
    """`citewell --help` names every command of the first level."""
    done = subprocess.run(
        [sys.executable, "-m", "search.cli", "--help"], capture_output=True, text=True, check=True
    )
    listed = re.findall(r"^  ([a-z]+)  ", done.stdout.split("Commands:")[1], flags=re.MULTILINE)
    assert set(listed) == {name.split()[0] for name in commands()}


def test_error_tree_is_documented():
    """The tree in the docstring of search.errors has exactly the classes of the module, at their depth."""
    documented = {}
    for row in (errors.__doc__ or "").splitlines():
        if match := re.match(r"( *)\* (.*)", row):
            names = (
                re.findall(r"\b[A-Z]\w+(?= ·|$|  )", match[2]) if "·" in match[2] else match[2].split()[:1]
            )
            documented |= {name.strip(): len(match[1]) // 4 for name in names}
    classes = {n: c for n, c in vars(errors).items() if inspect.isclass(c) and issubclass(c, Exception)}
    depth = {n: len(c.__mro__) - len(errors.CitewellError.__mro__) for n, c in classes.items()}
    assert documented == depth


def dependencies() -> set[str]:
    """The names of everything that the base install and the extras require."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(d for e in project["optional-dependencies"].values() for d in e)]
    return {re.match(r"[A-Za-z0-9_-]+", requirement)[0] for requirement in wanted} - {"citewell"}


def test_every_dependency_has_its_reason():
    """docs/decisions/0002-dependencies.md has a line for each dependency of pyproject.toml."""
    page = (ROOT / "docs" / "decisions" / "0002-dependencies.md").read_text(encoding="utf-8")
    assert {name for name in dependencies() if f"| `{name}`" not in page} == set()


def test_links_between_pages_lead_somewhere():
    """Every relative link of README and docs points at a file that exists."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 8
    broken = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_constraints_hold_names_and_versions_only():
    """No index, path or option stands in constraints.txt: it must work on any machine."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9._-]+==[a-zA-Z0-9.!+]+", line)] == []
    assert lines == sorted(lines)
    assert dependencies() <= {line.split("==")[0] for line in lines}


def test_every_test_says_what_it_shows():
    """Each test of the suite has a docstring that states the behaviour."""
    functions = [
        (file.name, node)
        for file in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert len(functions) > 50
    assert [f"{file}::{f.name}" for file, f in functions if not ast.get_docstring(f)] == []


def test_layers_know_every_room():
    """Every module directly under search/ has its place in the import contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = {name.strip() for row in contracts["contracts"][0]["layers"] for name in row.split("|")}
    rooms = {p.stem for p in (ROOT / "search").iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert {f"search.{room}" for room in rooms - {"__init__"}} == layers


# ------------------------------------------------------------------ the wheel
@pytest.fixture(scope="session")
def wheel_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment that holds the built wheel and what it requires, no checkout."""
    uv = shutil.which("uv") or shutil.which(str(ROOT / ".cache" / "uv" / "bin" / "uv"))
    if uv is None:
        pytest.skip("the wheel is installed with uv, which is not here: run `make test`")
    folder = tmp_path_factory.mktemp("wheel")

    def run(*command: str | Path) -> None:
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)

    run(uv, "build", "--wheel", "--out-dir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    run(uv, "venv", "--no-python-downloads", "--python", sys.executable, folder / "venv")
    python = folder / "venv" / "bin" / "python"
    constraints = ["--constraint", ROOT / "constraints.txt"]
    run(uv, "pip", "install", "--python", python, *constraints, f"{wheel}[pdf,offline]")
    return python


def in_wheel(python: Path, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the wheel's interpreter in an empty folder, where no checkout can be imported by accident."""
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    return subprocess.run(
        [python, *arguments], check=True, capture_output=True, text=True, cwd=folder, env=environment
    )


@pytest.mark.wheel
def test_wheel_runs_the_command(wheel_python, tmp_path):
    """The installed command prints its version from an empty folder."""
    done = in_wheel(wheel_python, wheel_python.parent / "citewell", "--version", folder=tmp_path)
    assert done.stdout == f"citewell {search.__version__}\n"


@pytest.mark.wheel
def test_wheel_carries_the_mappings(wheel_python, tmp_path):
    """The wheel's own copy of the mappings is read, and is the one of the checkout."""
    from search.index.mappings import schema_hash

    code = "import search, search.index.mappings as m; print(search.__file__); print(m.schema_hash())"
    where, found = in_wheel(wheel_python, "-c", code, folder=tmp_path).stdout.split()
    assert str(ROOT) not in where
    assert found == schema_hash()


@pytest.mark.wheel
def test_wheel_holds_the_package_and_nothing_else(wheel_python):
    """Tests, evaluations and documents stay out of the wheel; types and licence are in it."""
    code = (
        "import importlib.metadata as m, json; f = m.files('citewell');"
        "print(json.dumps(sorted({str(p).split('/')[0] for p in f})));"
        "print(any(str(p) == 'search/py.typed' for p in f))"
    )
    done = in_wheel(wheel_python, "-c", code, folder=wheel_python.parent)
    tops, typed = done.stdout.splitlines()
    assert {top for top in json.loads(tops) if not top.startswith("citewell-")} == {"search", ".."}
    assert typed == "True"


@pytest.mark.wheel
def test_wheel_runs_the_demo(wheel_python, tmp_path):
    """The demo works from the installed wheel alone, and ends with an answer whose quotes were verified."""
    command = wheel_python.parent / "citewell"
    home = tmp_path / "home"
    done = in_wheel(wheel_python, command, "demo", "--home", home, "--json", folder=tmp_path)
    report = json.loads(done.stdout)
    assert all(result["outcome"] == "hits" for result in report["searches"])
    quotes = [
        c["quote"] for a in report["answers"] for claim in a["claims"] for c in claim["supporting_citations"]
    ]
    assert quotes
    where = ("--home", report["home"], "--json")
    done = in_wheel(wheel_python, command, "search", "citation graph", *where, folder=tmp_path)
    assert json.loads(done.stdout)["outcome"] == "hits"
