import { eventually } from '@parley/testkit'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

type Violation = { id: string; nodes: { target: unknown[] }[] }
type Axe = { run(options: object): Promise<{ violations: Violation[] }> }

export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    return axe.run({ runOnly: { type: 'tag', values }, resultTypes: ['violations'] })
  })
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

const themes = {
  light: { theme: 'light' },
  dark: { theme: 'dark' },
  'more contrast': { theme: 'light', contrast: 'more' },
  'more contrast, dark': { theme: 'dark', contrast: 'more' },
}

/** The colours of the theme have stopped changing when `check` is called. */
export async function inEveryTheme(page: Page, check: (theme: string) => Promise<void>): Promise<void> {
  for (const [theme, attributes] of Object.entries(themes)) {
    await page.evaluate(`delete document.documentElement.dataset.contrast
      Object.assign(document.documentElement.dataset, ${JSON.stringify(attributes)})`)
    const isChanging = () =>
      page.evaluate<boolean>('document.getAnimations().some((one) => one instanceof CSSTransition)')
    await eventually(async () => !(await isChanging()))
    await check(theme)
  }
}

/**
 * Controls that extend beyond their window, column or dialog, and buttons narrower than their text. Excludes controls
 * in code and in a strip, which scroll sideways.
 */
export const findCutOffControls = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('a, button, input, textarea, select')].filter((control) => {
    if (!control.checkVisibility({ visibilityProperty: true }) || control.closest('.unseen, pre, .strip')) return false
    const { left, right, width } = control.getBoundingClientRect()
    if (width === 0) return false
    if (control.matches('button') && control.scrollWidth > control.clientWidth + 1) return true
    const around = control.closest('dialog, aside, main, nav')?.getBoundingClientRect()
    return left < Math.max(0, around?.left ?? 0) - 1 || right > Math.min(innerWidth, around?.right ?? innerWidth) + 1
  }).map((control) => control.outerHTML.slice(0, 200))`)
