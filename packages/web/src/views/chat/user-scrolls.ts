const kinds = ['wheel', 'touchmove', 'keydown']
const recentMs = 500

/** Detects when a user scrolls an element, as opposed to a script or the browser. */
export class UserScrolls {
  #at = -Infinity

  readonly watch = (element: Element): (() => void) => {
    const record = () => (this.#at = performance.now())
    for (const kind of kinds) element.addEventListener(kind, record, { passive: true })
    return () => {
      for (const kind of kinds) element.removeEventListener(kind, record)
    }
  }

  get isRecent(): boolean {
    return performance.now() - this.#at < recentMs
  }
}
