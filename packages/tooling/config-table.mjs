/**
 * `pnpm config-table <service>` prints the settings of a service as a table; `--write` puts it into its README, between
 * the marks below; `--check` (without a service) fails if a table differs from the declaration.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { register } from 'tsx/esm/api'
import { formatted } from './format.mjs'
import { inWorkspace } from './steps.mjs'

const marked = /(<!-- settings -->\n)[\s\S]*?(<!-- \/settings -->)/

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, check: { type: 'boolean' } },
})
register()
const { describe } = await import(inWorkspace('packages/config/src/index.ts'))

if (values.check) await checkAll()
else if (positionals[0]) await show(positionals[0])
else {
  console.log('pnpm config-table <service> [--write] | --check')
  process.exitCode = 2
}

async function show(service) {
  if (!values.write) return console.log(await table(service))
  await writeFile(readmeOf(service), await upToDate(service))
}

async function checkAll() {
  for (const service of await readdir(inWorkspace('services'))) {
    if (!existsSync(readmeOf(service)) || !existsSync(configOf(service))) continue
    if ((await readFile(readmeOf(service), 'utf8')) === (await upToDate(service))) continue
    console.log(
      `services/${service}/README.md: the table of settings is out of date; run: pnpm config-table ${service} --write`,
    )
    process.exitCode = 1
  }
}

/** The README with the current table between its marks. */
async function upToDate(service) {
  const readme = await readFile(readmeOf(service), 'utf8')
  if (!marked.test(readme)) return readme
  const rows = await table(service)
  const replaced = readme.replace(marked, (_, before, after) => `${before}\n${rows}\n\n${after}`)
  return formatted(readmeOf(service), replaced)
}

async function table(service) {
  const { readConfig } = await import(configOf(service))
  const code = (names) =>
    names
      ? names
          .split(', ')
          .map((name) => `\`${name}\``)
          .join(', ')
      : ''
  const rows = describe(readConfig).map(
    ({ env, toml, kind, default: standard, doc }) =>
      `| ${code(env)} | ${code(toml)} | ${kind} | ${standard === 'required' ? standard : standard && `\`${standard}\``} | ${doc.replaceAll('|', '\\|')} |`,
  )
  return ['| environment | parley.toml | kind | default | meaning |', '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  )
}

function configOf(service) {
  return inWorkspace(`services/${service}/src/config.ts`)
}

function readmeOf(service) {
  return inWorkspace(`services/${service}/README.md`)
}
