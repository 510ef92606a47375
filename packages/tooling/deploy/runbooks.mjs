import { readdirSync, readFileSync } from 'node:fs'
import { inWorkspace } from '../steps.mjs'

const folder = 'docs/runbooks'
const sections = ['What it means', 'What users notice', 'How to confirm it', 'What to do']

export const runbookOf = (alert) =>
  `${folder}/${alert
    .replace('Parley', '')
    .replaceAll(/(?<!^)[A-Z]/g, '-$&')
    .toLowerCase()}.md`

/**
 * Each alert must have a runbook with the four sections and an entry in the list, and there must be no other pages.
 * Text in italics must be the title of a dashboard or a panel.
 */
export function problemsOfRunbooks(alerts, dashboards) {
  const pages = new Map(alerts.map((alert) => [runbookOf(alert), alert]))
  const found = readdirSync(inWorkspace(folder)).map((file) => `${folder}/${file}`)
  const list = readFileSync(inWorkspace(`${folder}/README.md`), 'utf8')
  const problems = found
    .filter((page) => page !== `${folder}/README.md` && !pages.has(page))
    .map((page) => `${page}: there is no such alert`)
  for (const [page, alert] of pages) {
    if (!list.includes(`[\`${alert}\`](${page.split('/').at(-1)})`))
      problems.push(`${folder}/README.md: does not list ${alert}`)
    if (!found.includes(page)) problems.push(`alert ${alert}: ${page} does not exist`)
    else problems.push(...problemsOfPage(page, alert, dashboards))
  }
  return problems
}

function problemsOfPage(page, alert, dashboards) {
  const text = readFileSync(inWorkspace(page), 'utf8')
  const found = (pattern) =>
    Array.from(text.matchAll(pattern), ([, what]) => what.replaceAll('\n', ' ').replaceAll(/ +/g, ' '))
  const shown = new Set(dashboards.flatMap(({ title, panels }) => [title, ...panels.map((panel) => panel.title)]))
  const expected = [alert, ...sections]
  const problems = found(/\b_([^_`]+)_\b/g)
    .filter((title) => !shown.has(title))
    .map((title) => `${page}: no dashboard has ${title}`)
  if (found(/^#+ (.*)$/gm).join() !== expected.join())
    problems.push(`${page}: its headings are not: ${expected.join(', ')}`)
  return problems
}
