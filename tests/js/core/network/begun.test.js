import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, FARTHEST, fitted, panned, spread } from '../../../../static/core/network/viewport.js';

test('a drawing too large to be read opens at its beginning, as small as operators are named', () => {
  const window = { width: 1100, height: 650 };
  const large = begun({ width: 3000, height: 2400 }, { x: 400, y: 20 }, window);
  assert.equal(large.scale, FARTHEST);
  assert.equal(large.x, 12, 'no free room at its left');
  const far = begun({ width: 3000, height: 2400 }, { x: 2000, y: 20 }, window);
  assert.equal(Math.round(far.x + 2000 * far.scale), 550, 'one that begins elsewhere has its beginning in the middle');
  for (const width of [600, 2195]) {
    const { x, y, scale } = begun({ width, height: 6000 }, { x: 30, y: 20 }, window);
    assert.equal(Math.round(x + (width / 2) * scale), 550, 'one that has room stays in the middle');
    assert.equal(y, 12);
  }
  const phone = begun({ width: 1274, height: 1766 }, { x: 60, y: 20 }, { width: 390, height: 523 });
  assert.deepEqual([phone.scale, phone.x], [0.8, 12], 'on a phone large enough for a finger');
  const whole = { width: 1500, height: 900 };
  assert.deepEqual(begun(whole, { x: 0, y: 0 }, window), fitted(whole, window));
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

test('a finger moves a drawing up and down where it is zoomed and higher than its window', () => {
  const [window, first] = [{ width: 390, height: 523 }, { x: 60, y: 20 }];
  const drawing = { width: 1274, height: 1766 };
  const opened = begun(drawing, first, window);
  assert.equal(panned(opened, drawing, first, window), false);
  assert.equal(panned({ ...opened, scale: 1 }, drawing, first, window), true);
  assert.equal(panned(fitted(drawing, window), drawing, first, window), false);
});
