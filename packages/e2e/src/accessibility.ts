import axe from 'axe-core'
import type { Page } from 'playwright-core'

type Violation = { id: string; nodes: { target: unknown[] }[] }
type Axe = { run(options: object): Promise<{ violations: Violation[] }> }

/** What of WCAG 2.2 AA a page fails, as far as a program can tell: the rule, and where. */
export async function shortcomingsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    return axe.run({ runOnly: { type: 'tag', values }, resultTypes: ['violations'] })
  })
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
