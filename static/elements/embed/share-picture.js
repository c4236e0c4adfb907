/** @import { PictureView, TakenText } from '../../state/embed/taken.js' */
import { linkQuery, pictureQuery, takenText, valuesText } from '../../state/embed/taken.js';
import { titleText } from '../../words/titles.js';
import { fileName, saveAs } from '../shared/files/save.js';
import { ExplorerPart } from '../shared/part.js';

const PNG_SCALE = 2;

/**
 * The pictures and codes of the menu Share. A button says in `data-save` (svg, png, tex) or `data-copy` (those, and
 * markdown, html, curl, python) what it does; a button of a grid's bar has `data-view`, too.
 */
customElements.define('share-picture', class SharePicture extends ExplorerPart {
  /** @override */
  start() {
    this.listen(document, 'click', ({ target }) => {
      const button = target instanceof Element ? target.closest('button[data-save], button[data-copy]') : null;
      if (button instanceof HTMLButtonElement) void this.#press(button);
    });
  }

  /** @param {HTMLButtonElement} button */
  async #press({ dataset: { save, copy, view } }) {
    try {
      if (save) await this.#save(save, /** @type {PictureView} */ (view ?? 'both'));
      else if (copy) await this.#copy(copy);
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {PictureView} view */
  #query(view) {
    const { state, theme, valuesInMemory: values } = this.session;
    return pictureQuery(state, { theme: theme.dark ? 'dark' : 'light', view, values });
  }

  /**
   * @param {string} form
   * @param {PictureView} view
   * @returns {Promise<Blob>}
   */
  async #file(form, view) {
    const scale = form === 'png' ? `&scale=${PNG_SCALE}` : '';
    const answer = await fetch(`/api/v1/picture.${form}?${this.#query(view)}${scale}`);
    if (!answer.ok) {
      const { errors, detail } = await answer.json();
      throw new Error(errors?.[0] ? `${errors[0].field}: ${errors[0].message}` : detail);
    }
    return answer.blob();
  }

  /**
   * @param {string} form
   * @param {PictureView} view
   */
  async #save(form, view) {
    const file = await this.#file(form, view);
    const name = `${fileName(this.session.state.a.layout) || 'tensor'}${view === 'both' ? '' : `-${view}`}.${form}`;
    saveAs(file, name);
    const values = this.session.valuesInMemory;
    const left = values && !valuesText(values) ? ' Its colours are by place: the values are too many, or a picture.' : '';
    this.#say(`Saved as ${name}.${left}`);
  }

  /** @param {string} what */
  async #copy(what) {
    if (what === 'png') {
      // The file is a promise: the browser must see the press and the writing together.
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': this.#file('png', 'both') })]);
    } else if (what === 'svg' || what === 'tex') {
      await navigator.clipboard.writeText(await (await this.#file(what, 'both')).text());
    } else {
      const { answers: { a, b }, state, valuesInMemory: values } = this.session;
      const parts = { origin: location.origin, link: linkQuery(state), picture: this.#query('both'), values: valuesText(values), title: a ? titleText(a, b) : 'A tensor in memory' };
      await navigator.clipboard.writeText(takenText(/** @type {TakenText} */ (what), parts));
    }
    this.#say('Copied.');
  }

  /** @param {string} text */
  #say(text) {
    const said = this.closest('[popover]')?.querySelector('.said');
    if (said) said.textContent = text;
  }
});
