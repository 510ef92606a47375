/** Writes a migration to `services/<service>/drizzle` for what changed in `src/store/schema.ts` since the last one. */
import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { bundleSchema, drizzleKit } from './schema-bundle.mjs'
import { workspace } from './steps.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { name: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
const [service] = positionals
if (values.help || !service) {
  console.log('pnpm migrations <service> [--name what_changed]')
  process.exit(values.help ? 0 : 2)
}

const schema = await bundleSchema(service)
const args = ['generate', '--dialect', 'postgresql', '--schema', schema, '--out', `services/${service}/drizzle`]
if (values.name) args.push('--name', values.name)
const { status } = spawnSync(process.execPath, [drizzleKit, ...args], { cwd: workspace, stdio: 'inherit' })
await rm(schema, { force: true })
process.exitCode = status ?? 1
