/**
 * `pnpm config-table` prints the settings of all programs; `--write` puts the tables into the reference for operators;
 * `--check` fails if the reference differs.
 */
import { parseArgs } from 'node:util'
import { declaredSettings } from './declared-settings.mjs'
import { isUpToDate, markdownTable, writeGenerated } from './generated-page.mjs'

const page = 'docs/operating/settings.md'

const { values } = parseArgs({ options: { write: { type: 'boolean' }, check: { type: 'boolean' } } })
const sections = sectionsOf(await declaredSettings())

if (values.write) await writeGenerated(page, 'settings', sections)
else if (!values.check) console.log(sections)
else if (!(await isUpToDate(page, 'settings', sections))) {
  console.log(`${page} is out of date; run: pnpm config-table --write`)
  process.exitCode = 1
}

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
  return markdownTable([heads, ...lines])
}

function cells({ env, toml, kind, default: standard, doc }) {
  const value = standard === 'required' ? standard : standard && `\`${standard}\``
  return [code(env), code(toml), kind, value, doc.replaceAll('|', '\\|')]
}

function code(names) {
  return names && names.replaceAll(/[^, ]+/g, '`$&`')
}
