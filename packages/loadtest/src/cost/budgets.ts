import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '@parley/local'

const page = join('docs', 'performance.md')

/**
 * The budgets, by the name in the table of docs/performance.md. A budget is a maximum of CPU time of the whole fleet,
 * as a multiple of the floor: one HTTP request with one prepared SELECT. Throws if there is no such table.
 */
export function readBudgets(text = readFileSync(join(repositoryRoot(), page), 'utf8')): Map<string, number> {
  const [, section = ''] = /^## Budgets\n([^]*?)^## /m.exec(text) ?? []
  const rows = section.matchAll(/^\| `([^`|]+)` +\| +([\d.]+) +\|/gm)
  const budgets = new Map([...rows].map(([, name = '', budget]) => [name, Number(budget)]))
  if (budgets.size === 0) throw new Error(`${page} has no table of budgets`)
  return budgets
}
