/**
 * `pnpm config-table` prints the settings of all programs; `--write` puts the tables into the reference for
 * operators, between the marks below; `--check` fails if the reference differs.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { declaredSettings } from './declared-settings.mjs'
import { formatText } from './format.mjs'
import { inWorkspace } from './steps.mjs'

const page = 'docs/operating/settings.md'
const marked = /(<!-- settings -->\n)[\s\S]*?(<!-- \/settings -->)/

const { values } = parseArgs({ options: { write: { type: 'boolean' }, check: { type: 'boolean' } } })
const sections = sectionsOf(await declaredSettings())

if (values.write || values.check) {
  const present = await readFile(inWorkspace(page), 'utf8')
  const replaced = present.replace(marked, (_, before, after) => `${before}\n${sections}\n\n${after}`)
  const wanted = await formatText(inWorkspace(page), replaced)
  if (values.write) await writeFile(inWorkspace(page), wanted)
  else if (wanted !== present) {
    console.log(`${page} is out of date; run: pnpm config-table --write`)
    process.exitCode = 1
  }
} else console.log(sections)

/** A setting that several programs declare identically is printed only once. */
function sectionsOf(programs) {
  const readers = new Map()
  for (const { name, rows } of programs)
    for (const row of rows) readers.set(keyOf(row), [...(readers.get(keyOf(row)) ?? []), name])
  const shared = new Map(
    programs
      .flatMap(({ rows }) => rows)
      .filter((row) => readers.get(keyOf(row)).length > 1)
      .map((row) => [keyOf(row), row]),
  )
  const sections = programs.map(({ name, rows }) => {
    const own = rows.filter((row) => !shared.has(keyOf(row)))
    return `## ${name}\n\n${own.length === 0 ? 'Only shared settings.' : table(own)}`
  })
  const allPrograms = programs.map(({ name }) => name)
  return [
    `## Shared\n\n${table([...shared.values()], (row) => namesOf(readers.get(keyOf(row)), allPrograms))}`,
    ...sections,
  ].join('\n\n')
}

function keyOf(row) {
  return JSON.stringify(row)
}

/** Lists the names, or `all but ...` if the missing ones are fewer. */
function namesOf(names, allPrograms) {
  const missing = allPrograms.filter((name) => !names.includes(name))
  if (missing.length === 0) return 'all'
  return missing.length < names.length ? `all but ${missing.join(', ')}` : names.join(', ')
}

function table(rows, readBy) {
  const heads = ['environment', 'parley.toml', 'kind', 'default', 'meaning', ...(readBy ? ['read by'] : [])]
  const lines = rows.map((row) => [...cells(row), ...(readBy ? [readBy(row)] : [])])
  return [heads, heads.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

function cells({ env, toml, kind, default: standard, doc }) {
  const value = standard === 'required' ? standard : standard && `\`${standard}\``
  return [code(env), code(toml), kind, value, doc.replaceAll('|', '\\|')]
}

function code(names) {
  return names && names.replaceAll(/[^, ]+/g, '`$&`')
}
