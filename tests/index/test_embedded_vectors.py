"""Vector files: one endless matrix whose files can be merged and cleaned without changing a row number."""

from __future__ import annotations

import numpy as np
import pytest
from index.papers import DIMENSIONS, random_units, unit

from search.index.embedded import vectors as matrix
from search.index.embedded.vectors import VectorReader, VectorsGone


def files(folder):
    """Return first and end row of the files that readers use."""
    return [(file.first, file.end) for file in matrix.vector_files(folder)]


def rows(*numbers):
    """Return row numbers as readers take them."""
    return np.array(numbers, dtype=np.int64)


def test_rows_are_counted_on(tmp_path):
    """Each file goes on where the last one ended, and every row is found again."""
    vectors = random_units(30)
    assert [matrix.append(tmp_path, vectors[i : i + 10]) for i in (0, 10, 20)] == [0, 10, 20]
    reader = VectorReader(tmp_path)
    np.testing.assert_array_equal(reader.vectors(rows(29, 0, 15)), vectors[[29, 0, 15]])
    query = unit(1, 2, 3)
    np.testing.assert_allclose(reader.scores(np.arange(30), query), vectors @ query, atol=1e-5)
    np.testing.assert_array_equal(reader.scores(rows(7), query), reader.scores(np.arange(30), query)[7:8])


def test_merging_keeps_rows_and_bounds_the_number_of_files(tmp_path):
    """After hundreds of appends with merges between them, few files hold every row where it was."""
    vectors = random_units(300)
    copied = 0
    for vector in vectors:
        matrix.append(tmp_path, [vector])
        before = set(files(tmp_path))
        matrix.merge(tmp_path)
        copied += sum(end - first for first, end in set(files(tmp_path)) - before)
        assert len(files(tmp_path)) <= matrix.MERGE_ABOVE
    assert copied < 10 * len(vectors)
    assert files(tmp_path)[0][0] == 0
    np.testing.assert_array_equal(VectorReader(tmp_path).vectors(np.arange(300)), vectors)


def test_cleaning_deletes_what_nothing_refers_to(tmp_path):
    """Files without live rows and unfinished ones go; the newest stays, so that no row is used twice."""
    for first in range(0, 50, 10):
        matrix.append(tmp_path, random_units(10, seed=first))
    (tmp_path / "vectors-1.tmp").write_bytes(b"half")
    matrix.clean(tmp_path, rows(3, 25))
    assert files(tmp_path) == [(0, 10), (20, 30), (40, 50)]
    assert not list(tmp_path.glob("*.tmp"))
    assert matrix.append(tmp_path, random_units(1)) == 50
    matrix.clean(tmp_path, rows())
    assert files(tmp_path) == [(50, 51)]


def test_merging_over_holes(tmp_path):
    """Where deleted files left holes, the rows after them keep their numbers."""
    vectors = random_units(24)
    for i in range(24):
        matrix.append(tmp_path, [vectors[i]])
    live = np.arange(0, 24, 2)
    matrix.clean(tmp_path, live)
    matrix.merge(tmp_path)
    assert len(files(tmp_path)) <= matrix.MERGE_ABOVE
    np.testing.assert_array_equal(VectorReader(tmp_path).vectors(live), vectors[live])


def test_a_merge_that_was_interrupted(tmp_path):
    """Killed between writing the merged file and deleting its parts, both are there: rows are read once."""
    vectors = random_units(10)
    for i in range(10):
        matrix.append(tmp_path, [vectors[i]])
    parts = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    matrix.merge(tmp_path)
    for name, content in parts.items():
        (tmp_path / name).write_bytes(content)
    np.testing.assert_array_equal(VectorReader(tmp_path).vectors(np.arange(10)), vectors)
    matrix.clean(tmp_path, np.arange(10))
    np.testing.assert_array_equal(VectorReader(tmp_path).vectors(np.arange(10)), vectors)
    assert len(list(tmp_path.iterdir())) == len(files(tmp_path)) <= matrix.MERGE_ABOVE


def test_a_reader_outlives_its_files(tmp_path):
    """Files that are deleted or merged stay readable for who has them open; who comes later is told."""
    vectors = random_units(20)
    matrix.append(tmp_path, vectors[:10])
    matrix.append(tmp_path, vectors[10:])
    reader = VectorReader(tmp_path)
    matrix.clean(tmp_path, np.arange(10, 20))
    np.testing.assert_array_equal(reader.vectors(np.arange(20)), vectors)
    with pytest.raises(VectorsGone):
        VectorReader(tmp_path).scores(rows(5), unit(1))
    with pytest.raises(VectorsGone):
        VectorReader(tmp_path).scores(rows(20), unit(1))


def test_equal_vectors_have_equal_scores(tmp_path):
    """The same vector scores the same wherever it lies, however many rows are asked for."""
    filler = random_units(1000)
    filler[::7] = filler[0]
    matrix.append(tmp_path, filler)
    matrix.append(tmp_path, filler[:1])
    reader = VectorReader(tmp_path)
    query = random_units(1, seed=5)[0]
    same = np.append(np.arange(0, 1000, 7), 1000)
    assert len(set(reader.scores(np.arange(1001), query)[same])) == 1
    assert set(reader.scores(same[:3], query)) == set(reader.scores(same, query))
    assert reader.scores(rows(), query).shape == (0,)
    assert filler.shape[1] == DIMENSIONS
