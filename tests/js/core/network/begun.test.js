import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, FARTHEST, fitted, spread } from '../../../../static/core/network/viewport.js';

test('a drawing too large to be read opens at its beginning, without free room at its left', () => {
  const window = { width: 1100, height: 650 };
  const large = { width: 3000, height: 2400 };
  const opened = begun(fitted(large, window), { x: 400, y: 20 }, window);
  assert.ok(opened.scale > 0.5);
  assert.ok(opened.x <= 12 && 400 * opened.scale + opened.x > 0, String(opened.x));
  const narrow = begun(fitted({ width: 600, height: 6000 }, window), { x: 300, y: 20 }, window);
  assert.equal(Math.round(narrow.x + 300 * narrow.scale), 550, 'a narrow one stays in the middle');
  const whole = fitted({ width: 1500, height: 900 }, window);
  assert.equal(begun(whole, { x: 0, y: 0 }, window), whole);
});

test('a drawing of which little is outside opens at the least scale that names operators', () => {
  const window = { width: 984, height: 500 };
  assert.equal(begun(fitted({ width: 2200, height: 950 }, window), { x: 200, y: 20 }, window).scale, FARTHEST);
});

test('a drawing that leaves height empty has its layers further apart, of which all stay in the window', () => {
  const window = { width: 1100, height: 650 };
  const box = /** @type {any} */ ({ x: 60, y: 100, height: 42 });
  const scene = { width: 2000, height: 700, boxes: [box], lines: [/** @type {any} */ ({ points: [[60, 121], [60, 163]] })] };
  const found = spread(scene, window);
  assert.ok(found.height > scene.height && found.height * fitted(found, window).scale <= window.height);
  assert.equal(fitted(found, window).scale, fitted(scene, window).scale);
  assert.equal(found.boxes[0].y / box.y, found.height / scene.height);
  assert.equal(found.lines[0].points[1][1] / 163, found.height / scene.height);
  for (const other of [{ ...scene, height: 1400 }, { ...scene, width: 9000 }]) assert.equal(spread(other, window), other);
});
