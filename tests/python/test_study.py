# SPDX-License-Identifier: Apache-2.0
"""Studies from Python: run, resumed, in tables."""

import json

import pytest

import gig


@pytest.fixture(scope="module")
def study(demo, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    manifest = {"models": {"demo": str(demo / "model.onnx")}, "pictures": {"scenes": str(demo / "pictures.csv")},
                "methods": ["gradients", "ig/steps=5"], "runs": [{"metrics": ["auc", "gini"], "limit": 3}]}
    path = folder / "study.json"
    path.write_text(json.dumps(manifest))
    return gig.study(path)


def test_a_study_is_run_and_resumed(study):
    counts = study.run(workers=1)
    assert counts == (6, 0, 0)
    assert study.run(workers=1) == counts
    assert study.status() == counts
    assert study.failures() == []


def test_tables(study):
    table = study.table()
    assert "ig" in table and "|" in table and table._repr_markdown_() == table
    assert "ig" in study.table(format="csv")
    assert isinstance(json.loads(study.table(format="json", metric="gini")), (dict, list))


def test_scores(study):
    scores = study.scores()
    assert {"auc", "gini"} <= {value for score in scores for value in score.values() if isinstance(value, str)}


@pytest.mark.parametrize("options", [{"like": "nonsense"}, {"format": "nonsense"}, {"metric": "nonsense"}])
def test_wrong_tables_are_refused(study, options):
    with pytest.raises(gig.ArgumentError):
        study.table(**options)


def test_a_missing_manifest_is_said(tmp_path):
    with pytest.raises(gig.Error, match="nothing.json"):
        gig.study(tmp_path / "nothing.json").run()
    with pytest.raises(gig.Error):
        gig.study(tmp_path / "nothing.json").status()
