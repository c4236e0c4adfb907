import { CopyButton } from './facts/copy-button.js';
import './reference/own-file.js';
import { otherExamples, help, pages } from './shared/command/common.js';
import { PageRoot } from './shared/page/root.js';
import { readTheme } from './shared/theme.js';

/** A page of text: only its bar is alive, and what copies or sends. */
customElements.define('text-page', class TextPage extends PageRoot {
  /** @override */
  begin() {
    for (const code of this.querySelectorAll('.copied')) code.prepend(CopyButton.of(() => code.querySelector('pre')?.textContent ?? '', code.getAttribute('data-what') ?? ''));
    this.join({ theme: readTheme(), tell: () => {} }, {
      nothing: 'Nothing found. Type part of a name: of a word, an example or a page.',
      entries: (catalogue) => [...pages(), ...help('help'), ...otherExamples(catalogue)],
    });
  }
});
