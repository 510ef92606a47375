/**
 * `pnpm folders` prints which folders each service has; `--write` puts the table into CONTRIBUTING.md; `--check` fails
 * when that table differs from the folders on disk.
 */
import { existsSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isUpToDate, markdownTable, writeGenerated } from './generated-page.mjs'
import { inWorkspace } from './steps.mjs'

const columns = {
  'ways in': ['rpc', 'grpc', 'http', 'ws', 'consumers', 'jobs', 'operator', 'video-worker'],
  'actions/': [],
  pure: ['policy', 'domain', 'view'],
  'ways out': ['store', 'clients'],
  'engines/': [],
}
const guide = 'CONTRIBUTING.md'

const { values } = parseArgs({ options: { write: { type: 'boolean' }, check: { type: 'boolean' } } })

if (values.write) await writeGenerated(guide, 'folders', table())
else if (!values.check) console.log(table())
else if (!(await isUpToDate(guide, 'folders', table()))) {
  console.log('CONTRIBUTING.md: the table of folders is out of date; run: pnpm folders --write')
  process.exitCode = 1
}

function table() {
  const services = readdirSync(inWorkspace('services'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const head = ['service', ...Object.keys(columns)]
  const rows = services.map(({ name }) => [name, ...Object.entries(columns).map((column) => cell(name, ...column))])
  return markdownTable([head, ...rows])
}

function cell(service, title, names) {
  const src = `services/${service}/src`
  if (!title.endsWith('/')) return names.filter((name) => existsSync(inWorkspace(`${src}/${name}`))).join(' ')
  const folder = inWorkspace(`${src}/${title}`)
  if (!existsSync(folder)) return ''
  const inside = readdirSync(folder).filter((name) => !name.endsWith('.test.ts'))
  return inside.map((name) => name.replace(/\.ts$/, '')).join(' ')
}
