import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, fitted } from '../../../../static/core/network/viewport.js';

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
