import assert from "node:assert/strict";
import { test } from "node:test";

import { formatPlace, mergeProgress, parsePlace, parseProgress, readProgress, writeProgress } from "../../../../static/state/learn/link.js";

const NOWHERE = { id: "", level: 1, seed: null, order: [] };

test("a place reads back from its link", () => {
  for (const place of [
    NOWHERE,
    { ...NOWHERE, id: "nchw4" },
    { ...NOWHERE, id: "nchw4", level: 3, seed: 7 },
    { ...NOWHERE, order: ["nchw4", "flip"], seed: 12 },
    { id: "flip", level: 2, seed: 12, order: ["nchw4", "flip"] },
  ]) {
    const url = new URL(formatPlace(place), "http://host");
    assert.deepEqual({ ...parsePlace(url.pathname, url.search) }, place);
  }
});

test("a link of nonsense is the list", () => {
  assert.deepEqual({ ...parsePlace("/learn", "?level=9&seed=-1&lessons=a b,<x>") }, NOWHERE);
  assert.deepEqual({ ...parsePlace("/learn/UP", "?level=0&seed=99999999999") }, NOWHERE);
});

test("progress reads back, and what either device did is done", () => {
  const here = { nchw4: 5, flip: 1 };
  assert.deepEqual({ ...readProgress(writeProgress(here)) }, here);
  assert.deepEqual({ ...mergeProgress(here, parseProgress("?done=nchw4.2,padding.7")) }, { nchw4: 7, flip: 1, padding: 7 });
  assert.deepEqual({ ...parseProgress("?done=nchw4.8,x.,.3,flip.0") }, {});
});
