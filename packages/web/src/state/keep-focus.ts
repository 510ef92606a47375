const regions = 'section, dialog, aside, main, nav'

/**
 * When the focused button removes or disables itself, the browser moves the keyboard focus to the body. This function
 * moves it on to the surrounding region, or back to the button once that is enabled again. Messages of a timeline are
 * left out, because they come and go while it scrolls.
 */
export function keepFocus(): void {
  let focused: HTMLElement | undefined
  let around: HTMLElement[] = []
  let wasDisabled = false

  document.addEventListener('focusin', ({ target }) => {
    const isKept = target instanceof HTMLElement && !target.closest('[role="log"]')
    focused = isKept ? target : undefined
    around = isKept ? regionsAround(target) : []
    wasDisabled = false
  })
  // A press elsewhere takes the focus away on purpose.
  document.addEventListener('pointerdown', ({ target }) => {
    if (target instanceof Node && !focused?.contains(target)) focused = undefined
  })
  new MutationObserver(() => {
    if (!focused) return
    if (focused.isConnected && focused.matches(':disabled')) wasDisabled = true
    else if (document.activeElement !== document.body) return
    else if (!focused.isConnected) {
      focused = undefined
      focusRegion(around.find(({ isConnected }) => isConnected))
    } else if (wasDisabled) {
      // Try only once: if the button is hidden, it cannot be focused.
      wasDisabled = false
      focused.focus({ preventScroll: true })
    }
  }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled'] })
}

function regionsAround(element: HTMLElement): HTMLElement[] {
  const region = element.parentElement?.closest<HTMLElement>(regions)
  return region ? [region, ...regionsAround(region)] : []
}

function focusRegion(region: HTMLElement | undefined): void {
  if (!region) return
  if (!region.hasAttribute('tabindex')) {
    region.tabIndex = -1
    region.addEventListener('blur', () => region.removeAttribute('tabindex'), { once: true })
  }
  region.focus({ preventScroll: true })
}
