const kinds = ['wheel', 'touchmove', 'keydown']
const recentMs = 500

/** Detects when a user scrolls an element, as opposed to a script or the browser. */
export class UserScrolls {
  #at = -Infinity

  /** Svelte attachment for the element. */
  readonly watch = (element: Element): (() => void) => {
    const record = () => (this.#at = performance.now())
    for (const kind of kinds) element.addEventListener(kind, record, { passive: true })
    return () => {
      for (const kind of kinds) element.removeEventListener(kind, record)
    }
  }

  /** Whether a user scrolled within the last half second. */
  get isRecent(): boolean {
    return performance.now() - this.#at < recentMs
  }
}
