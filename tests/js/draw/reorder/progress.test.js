import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATEGORIES, contrast, defaultTheme, fromWord, inkOn, mix, paletteOf, SHADES, toCss } from '../../../../static/core/palette.js';
import { coverUnder, READ_ALPHA } from '../../../../static/draw/reorder/progress.js';

test('the ink of a cell that was read is that of its category, and legible in both themes', () => {
  for (const dark of [false, true]) {
    const palette = paletteOf('categories', defaultTheme(dark));
    for (let at = 0; at < CATEGORIES * SHADES; at += 1) {
      const fill = fromWord(palette[at]);
      const ink = inkOn(fill);
      const read = mix(fill, fromWord(coverUnder(toCss(ink))), READ_ALPHA);
      assert.ok(contrast(read, ink) >= 4.5, `${dark} ${at}: ${toCss(ink)} on ${toCss(read)}`);
    }
  }
});
