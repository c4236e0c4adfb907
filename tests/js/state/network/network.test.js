import assert from "node:assert/strict";
import { test } from "node:test";
import { beforeText, optionsOf, rulesOf, rulesText, valuesOf } from "../../../../static/state/network/rules.js";
import { differenceOf, NO_DIFFERENCE, ofPlan, ofRules, unknownOf } from "../../../../static/state/network/assignment.js";
import { DEFAULT, formatLink, parseLink } from "../../../../static/state/network/link.js";
import { pastedOf } from "../../../../static/state/network/pasted.js";
import { commonName, frames, neighbour, sceneOf } from "../../../../static/state/network/scene.js";
import { counted } from "../../../../static/words/numbers.js";
import { adviceText, boxText, countedText, differenceText, partsText, proofText, resultText, wayText } from "../../../../static/words/network.js";

/** @typedef {import('../../../../static/api/networks/types.js').Propagation} Propagation */

const GRAPH = {
  inputs: { x: { shape: [1, 8, 6, 6] } },
  nodes: [
    { op: "conv2d", inputs: ["x", "w"], outputs: ["a"] },
    { op: "softmax", inputs: ["a"], outputs: ["b"] },
    { op: "add", inputs: ["b", "a"], outputs: ["c"] },
  ],
};
/** @returns {import("../../../../static/core/network/kinds.js").Label} */
const label = (/** @type {string} */ layout) => ({
  layout, kind: layout === "NHWC" ? "last" : "plain", short: layout,
});
const placed = (/** @type {string} */ layout) => ({
  shape: [1, 8, 6, 6], dtype: "float16", ...label(layout), strides: null, offset: 0, view: false, fused: false,
});
/** @type {Propagation} */
const FOUND = {
  rules: "pytorch-eager",
  tensors: { x: placed("NHWC"), w: placed("NCHW"), a: placed("NHWC"), b: placed("NCHW"), c: placed("NHWC") },
  reorders: [{ tensor: "a", source: "channels_last", target: "contiguous", source_layout: label("NHWC"), target_layout: label("NCHW"), before: "b", after: "a", readers: ["b"], prepared: false, bytes: 1152 }],
  nodes: [
    { name: "a", op: "conv2d", rule: "conv", reason: "It keeps it." },
    { name: "b", op: "softmax", rule: "softmax", reason: "Its kernel writes plainly.", lost: "channels_last" },
    { name: "c", op: "add", rule: "pointwise", reason: "It follows." },
  ],
  bytes: 1152,
  cost: 1152,
  node_cost: 0,
  prepared_bytes: 0,
  weights_each_call: false,
};
const ARRANGEMENT = {
  width: 400,
  height: 500,
  vertices: /** @type {import('../../../../static/api/networks/types.js').Vertex[]} */ ([
    { kind: "input", name: "x", first: 0, x: 100, y: 40, layer: 0, period: 1, repeats: 1 },
    { kind: "node", name: "a", first: 0, x: 100, y: 120, layer: 1, period: 1, repeats: 1 },
    { kind: "reorder", name: "a", first: 0, x: 100, y: 200, layer: 2, period: 1, repeats: 1 },
    { kind: "node", name: "b", first: 1, x: 100, y: 290, layer: 3, period: 1, repeats: 1 },
    { kind: "node", name: "c", first: 2, x: 100, y: 380, layer: 4, period: 1, repeats: 1 },
  ]),
  edges: [[0, 1, "x"], [1, 2, "a"], [2, 3, "a"], [1, 4, "a"], [3, 4, "b"]].map(([source, target, tensor]) => ({
    source: Number(source), target: Number(target), tensor: String(tensor),
    points: /** @type {[number, number][]} */ ([[100, 0], [100, 80]]),
  })),
};

test("a link comes back as it was, and nonsense becomes the default", () => {
  const state = {
    ...DEFAULT, preset: "resnet-50", rules: "onednn", was: "pytorch-eager", show: /** @type {const} */ ("plan"), fold: false,
    unfolded: ["a b", "c&d"], at: "conv:1", options: { isa: "avx2", block: "8" }, anyhow: true, pins: [{ node: "n:1", way: 2 }],
  };
  assert.deepEqual(parseLink(formatLink(state)), state);
  assert.deepEqual(parseLink(""), DEFAULT);
  assert.deepEqual(parseLink("show=x&fold=yes&pin=a&pin=-1:b"), DEFAULT);
  assert.equal(parseLink(`at=${"a".repeat(9999)}`).at.length, 256);
  assert.equal(parseLink("open=a&".repeat(999)).unfolded.length, 64);
});

test("rules with options are one text, and values as the API takes them", () => {
  const chosen = { rules: "onednn", options: optionsOf(["isa:avx2", "kernels:brgemm", "no option", "a:b c"]) };
  assert.equal(rulesText(chosen), "onednn;isa:avx2;kernels:brgemm");
  assert.deepEqual(rulesOf(rulesText(chosen)), chosen);
  assert.deepEqual(valuesOf(optionsOf(["block:8", "freezing:true", "isa:avx2"])), { block: 8, freezing: true, isa: "avx2" });
});

test("a pasted graph comes with the rules that a request names", () => {
  const graph = { nodes: [] };
  const read = (/** @type {unknown} */ value) => pastedOf(JSON.stringify(value));
  assert.deepEqual(read(graph), { graph, rules: "" });
  assert.deepEqual(read({ graph }), { graph, rules: "" });
  assert.deepEqual(read({ graph, rules: "onednn" }), { graph, rules: "onednn" });
  assert.deepEqual(read({ graph, rules: "onnxruntime-cpu", options: { block: 8 } }), { graph, rules: "onnxruntime-cpu;block:8" });
  assert.deepEqual(read({ graph, rules: 5, options: null }), { graph, rules: "" });
  for (const each of [null, 5, {}, { graph: {} }]) assert.throws(() => read(each), /no list "nodes"/);
});

test("of the same rules only the options that differ are named, with their defaults", () => {
  const usual = (/** @type {string} */ name) => ({ isa: "avx512", kernels: "blocked" })[name] ?? "";
  const now = rulesOf("onednn;isa:avx2;kernels:brgemm");
  assert.equal(beforeText("onednn;isa:avx2", now, usual), "kernels blocked");
  assert.equal(beforeText("onednn", now, usual), "isa avx512, kernels blocked");
  assert.equal(beforeText("onednn;isa:avx2;kernels:brgemm", rulesOf("onednn"), usual), "isa avx2, kernels brgemm");
  assert.equal(beforeText("openvino-cpu;isa:avx2", now, usual), "openvino-cpu, isa avx2");
});

test("a graph of one's own takes the place of a preset in the link", () => {
  const state = { ...DEFAULT, preset: "", graph: "abc_-" };
  assert.deepEqual(parseLink(formatLink(state)), state);
  const large = { ...DEFAULT, preset: "" };
  assert.deepEqual(parseLink(formatLink(large)), large);
});

test("rules say where tensors lie, what is copied for whom, and what is lost", () => {
  const { tensors, copies, lost, moved } = ofRules(GRAPH, FOUND);
  assert.equal(tensors.get("a")?.kind, "last");
  assert.equal(tensors.get("a")?.href, "/?shape=1,8,6,6&layout=NHWC&dtype=float16");
  assert.deepEqual(copies.map(({ readers, source, target }) => [readers, source.short, target.short]), [[["b"], "NHWC", "NCHW"]]);
  assert.deepEqual([...lost], [["b", "channels_last"]]);
  assert.deepEqual([moved.cost, moved.reorders], [1152, 1]);
});

test("a copy for a node that reads the tensor through a view is drawn without a reader", () => {
  const found = { ...FOUND, reorders: [{ ...FOUND.reorders[0], tensor: "x" }] };
  assert.deepEqual(ofRules(GRAPH, found).copies[0].readers, []);
});

test("a tensor that one kernel passes on is fused, not unknown", () => {
  const gone = /** @type {const} */ ({ ...placed(""), layout: null, kind: "absent", short: "fused", fused: true });
  const found = { ...FOUND, tensors: { ...FOUND.tensors, a: gone } };
  assert.equal(ofRules(GRAPH, found).tensors.get("a")?.short, "fused");
});

test("a plan's copy is read by the nodes that chose its layout", () => {
  const way = (/** @type {string[]} */ inputs) => ({ inputs, outputs: ["NHWC"], cost: 0 });
  const plan = {
    tensors: { x: ["NHWC"], a: ["NHWC", "NCHW"], b: ["NCHW"], c: ["NHWC"], w: ["NCHW"] },
    layouts: { x: label("NHWC"), a: label("NHWC"), b: label("NCHW"), c: label("NHWC"), w: label("NCHW") },
    nodes: { a: way(["NHWC", "NCHW"]), b: way(["NCHW"]), c: way(["NHWC", "NHWC"]) },
    reorders: [{ tensor: "a", source: "NHWC", target: "NCHW", source_layout: label("NHWC"), target_layout: label("NCHW"), before: "b", after: "a", readers: ["b"], prepared: false, bytes: 10 }],
    cost: 10, node_cost: 0, prepared_bytes: 0, outputs: {}, bound: 10, optimal: true, baselines: [], left_out: [],
  };
  const { copies, moved } = ofPlan(plan, FOUND);
  assert.deepEqual(copies.map(({ readers }) => readers), [["b"]]);
  assert.deepEqual([moved.cost, moved.reorders], [10, 1]);
});

test("what differs is found by tensor, by copy and by loss", () => {
  const after = ofRules(GRAPH, FOUND);
  const plain = { ...FOUND, tensors: { ...FOUND.tensors, b: placed("NHWC") }, reorders: [], nodes: FOUND.nodes.map(({ lost: _, ...rest }) => rest) };
  const found = differenceOf(ofRules(GRAPH, plain), after, GRAPH);
  assert.deepEqual([[...found.tensors], [...found.nodes], found.copies, found.lost, found.most], [["b"], ["b"], 1, 1, false]);
  assert.equal(differenceText(found, "other", true), "Against other: 1 tensor lies differently, 1 reorder more, 1 loss more. What differs is framed.");
  assert.equal(differenceText(differenceOf(after, after, GRAPH), "other", false), "Nothing differs from other.");
  const most = differenceOf(ofRules(GRAPH, { ...plain, tensors: Object.fromEntries(Object.keys(FOUND.tensors).map((name) => [name, placed("NHWC16c")])) }), after, GRAPH);
  assert.match(differenceText(most, "other", false), /^Against other: \d tensors lie differently, .*\. Most differ, so no frame marks them\.$/);
  const drawn = (/** @type {typeof most} */ difference) => sceneOf(GRAPH, FOUND, after, ARRANGEMENT, difference, []);
  assert.deepEqual([most, found].map((each) => drawn(each).lines.some(({ changed }) => changed)), [false, true]);
  assert.deepEqual([most, found].map((each) => drawn(each).boxes.some(({ changed }) => changed)), [false, true]);
  const strided = (/** @type {string} */ layout) => ({ ...FOUND, tensors: { ...FOUND.tensors, a: { ...placed(layout), strides: [288, 36, 6, 1] } } });
  assert.equal(differenceOf(ofRules(GRAPH, strided("pytorch:contiguous_format")), ofRules(GRAPH, strided("onednn:abcd")), GRAPH).tensors.size, 0);
});

test("what differs is counted as each summary counts it: no weights among the reorders, and the results' copies too", () => {
  const [copy] = FOUND.reorders;
  const weights = { ...copy, tensor: "w", before: "a", after: null, readers: ["a"], prepared: true };
  const result = { ...copy, tensor: "c", before: null, after: "c", readers: [] };
  const packed = ofRules(GRAPH, { ...FOUND, reorders: [copy, weights, weights], cost: 3152, prepared_bytes: 2000, weights_each_call: true });
  const given = ofRules(GRAPH, { ...FOUND, reorders: [copy, result], cost: 2304 });
  const all = [ofRules(GRAPH, FOUND), packed, given];
  for (const before of all) {
    for (const after of all) {
      const { copies, bytes, weights, lost } = differenceOf(before, after, GRAPH);
      const [was, is] = [before, after].map(({ moved, lost: { size } }) => [moved.reorders, moved.cost, moved.prepared_bytes, size]);
      assert.deepEqual([copies, bytes, weights, lost], is.map((value, at) => value - was[at]));
    }
  }
  assert.equal(differenceText(differenceOf(all[0], given, GRAPH), "other", true), "Against other: 1 reorder more, 1.15 kB more at each run. What differs is framed.");
  assert.equal(differenceText(differenceOf(packed, all[0], GRAPH), "other", false), "Against other: 2 kB less at each run, weights 2 kB less.");
  const elsewhere = ofRules(GRAPH, { ...FOUND, reorders: [result] });
  assert.equal(differenceText(differenceOf(elsewhere, all[0], GRAPH), "other", false), "Against other: as many reorders and losses, elsewhere.");
});

test("a result's copy is framed where it differs, and else nothing is", () => {
  const [copy] = FOUND.reorders;
  const without = ofRules(GRAPH, { ...FOUND, reorders: [] });
  const given = ofRules(GRAPH, { ...FOUND, reorders: [{ ...copy, tensor: "c", before: null, after: "c", readers: [] }] });
  const [input, ...others] = ARRANGEMENT.vertices;
  const arrangement = { ...ARRANGEMENT, vertices: [input, ...others.map((each) => (each.kind === "reorder" ? { ...each, name: "c" } : each))] };
  const drawn = (/** @type {typeof given} */ before) => sceneOf(GRAPH, FOUND, given, arrangement, differenceOf(before, given, GRAPH), []);
  assert.deepEqual(drawn(without).boxes.filter(({ changed }) => changed).map(({ kind, name }) => [kind, name]), [["reorder", "c"], ["node", "c"]]);
  assert.deepEqual([frames(drawn(without)), frames(drawn(given)), frames(null)], [true, false, false]);
});

test("a node whose title is in two lines from far away has room for both", () => {
  const assignment = ofRules(GRAPH, FOUND);
  const heights = ["conv2d", "adaptive_avg_pool2d"].map((op) => {
    const graph = { ...GRAPH, nodes: [{ ...GRAPH.nodes[0], op }, ...GRAPH.nodes.slice(1)] };
    return sceneOf(graph, FOUND, assignment, ARRANGEMENT, NO_DIFFERENCE, []).boxes[1].height;
  });
  assert.deepEqual(heights, [42, 52]);
});

test("two outputs of a node in one layout have their label once", () => {
  const assignment = ofRules(GRAPH, FOUND);
  const [first] = ARRANGEMENT.edges;
  const twice = { ...ARRANGEMENT, edges: [first, { ...first, tensor: "second" }] };
  const both = { ...assignment, tensors: new Map([...assignment.tensors, ["second", /** @type {any} */ (assignment.tensors.get(first.tensor))]]) };
  const scene = sceneOf(GRAPH, FOUND, both, twice, NO_DIFFERENCE, []);
  assert.deepEqual(scene.lines.map(({ labelled }) => labelled), [true, false]);
});

test("a scene has the layouts on its lines and the losses at its boxes", () => {
  const assignment = ofRules(GRAPH, FOUND);
  const scene = sceneOf(GRAPH, FOUND, assignment, ARRANGEMENT, NO_DIFFERENCE, []);
  assert.deepEqual(scene.lines.map(({ label, labelled }) => [label, labelled]), [
    ["NHWC", true], ["NHWC", true], ["NCHW", true], ["NHWC", false], ["NCHW", true],
  ]);
  assert.deepEqual(scene.boxes.map(({ title, detail, lost }) => [title, detail, lost]), [
    ["x", "1×8×6×6", ""], ["conv2d", "1×8×6×6", ""], ["NHWC → NCHW", "1.15 kB", ""],
    ["softmax", "1×8×6×6", "channels_last"], ["add", "1×8×6×6", ""],
  ]);
  const [input, conv, reorder, softmax, add] = scene.boxes;
  assert.equal(neighbour(scene, input, "down"), conv);
  assert.equal(neighbour(scene, conv, "down"), reorder);
  assert.equal(neighbour(scene, add, "up"), softmax);
  assert.equal(neighbour(scene, input, "up"), null);
  assert.equal(neighbour(scene, conv, "left"), null);
  assert.equal(
    boxText(softmax, FOUND.nodes[1], ["NCHW"]),
    "softmax b, 1×8×6×6, NCHW. It loses channels_last. Its kernel writes plainly.",
  );
});

test("results in words", () => {
  const still = { cost: 0, node_cost: 0, prepared_bytes: 0, weights_each_call: false, reorders: 0 };
  const none = { moved: still, lost: new Map() };
  assert.equal(resultText(none, "rules"), "0 bytes read and written to change layouts at each run: no reorders. No layout is lost.");
  assert.equal(resultText(none, "plan"), "0 bytes read and written to change layouts at each run: no reorders.");
  const moved = { ...still, cost: 2300, node_cost: 300, prepared_bytes: 9, reorders: 1 };
  assert.equal(
    resultText({ moved, lost: new Map([["a", "NHWC"], ["b", "NHWC"]]) }, "rules"),
    "2.3 kB read and written to change layouts at each run: 1 reorder of 2 kB, 300 bytes of activations reordered inside nodes (weights inside nodes are not counted), 9 bytes for weights once, before the first run. NHWC is lost at 2 nodes: read there, not passed on.",
  );
  assert.equal(partsText({ ...moved, cost: 2309, weights_each_call: true }), "1 reorder of 2 kB, 300 bytes of activations reordered inside nodes (weights inside nodes are not counted), 9 bytes for weights unless given as wanted");
  assert.equal(partsText({ ...still, node_cost: null }), "no reorders, inside nodes not counted");
  assert.match(countedText({ outputs: { y: "NCHW" } }), /The plan counts no weights: .* once, before the first run\..*given back row-major\.$/);
  assert.match(countedText({ outputs: { y: null } }), /stay in any layout\.$/);
  assert.match(proofText({ cost: 5, bound: 5, optimal: true }), /^Proven: .* 5 bytes/);
  assert.match(proofText({ cost: 5, bound: 4, optimal: false }), /^Not proven: .* 5 bytes, .* 4 bytes/);
  assert.equal(wayText({ inputs: ["NHWC", null, "NHWC"], outputs: ["NHWC"], cost: 2000 }, [false, false, true]), "NHWC, any → NHWC at 2 kB");
  assert.equal(wayText({ inputs: ["NHWC", null, null], outputs: [null], cost: 0 }, [false, true, true]), "NHWC, weights: any → any");
});

test("nodes whose layouts are not known are counted, with the reasons of those that read no such tensor", () => {
  const still = { moved: { cost: 0, node_cost: 0, prepared_bytes: 0, weights_each_call: false, reorders: 0 }, lost: new Map() };
  const lies = (/** @type {string} */ reason) => ({ ...placed(""), layout: null, kind: /** @type {const} */ ("unknown"), short: "not known", reason });
  const found = { ...FOUND, tensors: { ...FOUND.tensors, a: lies("Not in the catalogue."), b: lies("It depends."), c: lies("It depends.") } };
  const unknown = unknownOf(GRAPH, found);
  assert.deepEqual(unknown, { count: 3, reasons: ["conv2d: Not in the catalogue."] });
  assert.equal(
    resultText(still, "rules", unknown),
    "0 bytes read and written to change layouts at each run: no reorders. Nothing is known of the layouts of 3 nodes. conv2d: Not in the catalogue.",
  );
  assert.match(resultText({ ...still, lost: new Map([["a", "NHWC"]]) }, "rules", unknown), /catalogue\. NHWC is lost at 1 node/);
  assert.match(resultText(still, "rules", unknownOf(GRAPH, FOUND)), /No layout is lost\.$/);
});

test("a block is called what its nodes' names have in common, and nothing where they have nothing", () => {
  assert.equal(commonName(["/bert/layer.0/add", "/bert/layer.1/add", "/bert/layer.11/mul"]), "layer");
  assert.equal(commonName(["layer3.0.conv", "layer3.1.conv"]), "layer3");
  assert.equal(commonName(["conv1", "relu1"]), "");
  assert.equal(commonName(["a/b", "c/b"]), "");
});

test("advice says what changes, what it saves and what it costs", () => {
  const change = { nodes: ["conv2_1"], layout: "nChw16c", keeps: "conv2_1 keeps nChw16c." };
  const advice = { source: "", target: "", count: 1, bytes: 1, edges: [], change, cost_bytes: 1e5, saved_bytes: 2.9e6, text: "Nothing helps.", inside: false };
  assert.equal(adviceText(advice), "conv2_1 keeps nChw16c. Saves 2.9 MB, costs 100 kB.");
  assert.equal(adviceText({ ...advice, change: null }), "Nothing helps.");
});

test("counts are grouped", () => {
  assert.equal(counted(1200, "operator"), "1\u202f200 operators");
});

test("a node that changes layouts inside is marked, with its bytes", () => {
  const found = { ...FOUND, nodes: FOUND.nodes.map((node) => (node.name === "a" ? { ...node, node_cost: 4600 } : node)) };
  const { boxes } = sceneOf(GRAPH, found, ofRules(GRAPH, found), ARRANGEMENT, NO_DIFFERENCE, []);
  assert.deepEqual(boxes.map(({ moves }) => moves), [false, true, false, false, false]);
  assert.equal(boxes[1].detail, "4.6 kB inside");
});
