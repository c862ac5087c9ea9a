"""`python -m search.cli`: the command where its script is not on the path."""

from __future__ import annotations

import sys

from search.cli import main

sys.exit(main())
