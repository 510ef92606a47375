import { readFile, writeFile } from 'node:fs/promises'
import { formatText } from './format.mjs'
import { inWorkspace } from './steps.mjs'

/** The rows as a Markdown table; the first row is its head. */
export function markdownTable([head, ...rows]) {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Replaces the generated part of a page, between `<!-- mark -->` and `<!-- /mark -->`. */
export async function writeGenerated(page, mark, text) {
  await writeFile(inWorkspace(page), (await withGenerated(page, mark, text)).wanted)
}

/** Whether the generated part of the page is this text. */
export async function isUpToDate(page, mark, text) {
  const { present, wanted } = await withGenerated(page, mark, text)
  return present === wanted
}

async function withGenerated(page, mark, text) {
  const present = await readFile(inWorkspace(page), 'utf8')
  const marked = new RegExp(`(<!-- ${mark} -->\n)[^]*?(<!-- /${mark} -->)`)
  const replaced = present.replace(marked, (_, before, after) => `${before}\n${text}\n\n${after}`)
  return { present, wanted: await formatText(inWorkspace(page), replaced) }
}
