/**
 * Creates `services/<name>`, enters it into the manifest, the catalogue and the compact process, and writes the
 * generated files.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { formatText } from './format.mjs'
import { inWorkspace, workspace } from './steps.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'no-database': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
})
const [name] = positionals
if (values.help || !name || !/^[a-z]+$/.test(name)) {
  console.log('pnpm new:service <name> [--no-database]   (one lower-case word, the name of the deployable)')
  process.exit(values.help ? 0 : 2)
}
if (existsSync(inWorkspace(`services/${name}`))) {
  console.log(`services/${name} already exists`)
  process.exit(1)
}

const hasDatabase = !values['no-database']
const Name = name[0].toUpperCase() + name.slice(1)
const NAME = name.toUpperCase()
const Host = hasDatabase ? 'DatabaseHost' : 'Host'
const dependencies = (...names) => Object.fromEntries(names.map((each) => [each, version(each)]))
const version = (each) => (each.startsWith('@parley/') ? 'workspace:*' : 'catalog:')

const files = {
  'package.json': json({
    name: `@parley/${name}`,
    version: '0.1.0',
    private: true,
    license: 'Apache-2.0',
    type: 'module',
    exports: { './service': './src/service.ts', './config': './src/config.ts' },
    scripts: { build: 'node ../../packages/tooling/build.mjs', typecheck: 'tsc --noEmit -p tsconfig.json' },
    dependencies: dependencies(
      ...['config', 'doctor', 'runtime', 'service', 'telemetry'].map((each) => `@parley/${each}`),
      ...(hasDatabase ? ['@parley/postgres', 'drizzle-orm'] : []),
    ),
    devDependencies: dependencies('@jest/globals', '@parley/testkit', '@types/node'),
  }),
  'tsconfig.json': json({ extends: '../../tsconfig.base.json', include: ['src', 'test'] }),
  'README.md': `# ${name}

TODO: what it owns, in one sentence, and what it is not for, in another.

## Configuration

[Settings](../../docs/operating/settings.md#${name}).
`,
  'src/main.ts': `import '@parley/telemetry/register'
import { run } from '@parley/runtime'
import { readConfig } from './config.ts'
import { start${Name} } from './service.ts'

await run('${name}', (stop) => start${Name}(readConfig(), { stop }))
`,
  'src/print-config.ts': `import { effectiveSettings } from '@parley/config'
import { readConfig } from './config.ts'

process.stdout.write(\`\${JSON.stringify(effectiveSettings(readConfig))}\\n\`)
`,
  'src/doctor.ts': `import { runDoctor } from '@parley/doctor'
import { readConfig } from './config.ts'

await runDoctor({
  deployable: '${name}',
  readConfig,
  ${hasDatabase ? "migrations: new URL('../drizzle', import.meta.url)," : ''}
})
`,
  'src/config.ts': `import { busFields, ${hasDatabase ? 'databaseFields, ' : ''}defineConfig, processFields } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ${hasDatabase ? `...databaseFields('${name}'),` : ''}
})

export type Config = ReturnType<typeof readConfig>
`,
  'src/service.ts': `import type { Service } from '@parley/runtime'
import { start${Host}, type ${Host}, type StartOptions } from '@parley/service'
import type { Config } from './config.ts'

/** Starts the deployable. */
export function start${Name}(config: Config, overrides: StartOptions = {}): Promise<Service> {
  return start${Host}({ name: '${name}', config, overrides }, compose)
}

async function compose(host: ${Host}): Promise<void> {
  await host.serve({ routes: () => undefined })
}
`,
  'test/_env.ts': `import { test${hasDatabase ? 'Database' : ''}Service } from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { start${Name} } from '../src/service.ts'

const parts = {
  ...{ start: start${Name}, readConfig },
  ${hasDatabase ? `databaseSetting: 'PARLEY_${NAME}_DATABASE_URL', migrations: new URL('../drizzle', import.meta.url),` : ''}
}

/** Starts the servers of a test of the service; fakes of other services belong here. */
export const start${Name}Env = () => test${hasDatabase ? 'Database' : ''}Service(parts, () => ({}))
`,
  'test/start.test.ts': `import { expect, test } from '@jest/globals'
import { readiness } from '@parley/testkit'
import { start${Name}Env } from './_env.ts'

test('starts, reports that it is ready, and stops', async () => {
  await using env = await start${Name}Env()
  const { internalPort } = await env.start()
  expect(await readiness(internalPort)).toEqual({ status: 200, body: { status: 'ready' } })
})
`,
}

const ofDatabase = {
  'src/migrate.ts': `import { runMigrations } from '@parley/postgres'

await runMigrations('${name}', new URL('../drizzle', import.meta.url))
`,
  'src/store/schema.ts': `import { pgTable, text } from 'drizzle-orm/pg-core'

export const ${name} = pgTable('${name}', {
  id: text('id').primaryKey(),
})
`,
}

for (const [file, content] of Object.entries({ ...files, ...(hasDatabase && ofDatabase) })) {
  const path = inWorkspace(`services/${name}/${file}`)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, await formatText(path, content))
}
await enter('packages/contracts/src/deployables.ts', '} as const satisfies Record<string, DeployableProperties>', [
  `  ${name}: {`,
  `    about: 'TODO: its purpose, in one line.',`,
  ...(hasDatabase ? ['    database: true,'] : []),
  '  },',
])
await enter('packages/contracts/src/catalogue.ts', '} as const satisfies Record<Deployable,', [`  ${name}: {},`])
await enterCompactProcess()

run('pnpm', 'install', '--no-frozen-lockfile', '--prefer-offline')
if (hasDatabase) script('generate-migrations.mjs', name, '--name', 'start')
script('config-table.mjs', '--write')
script('folders-table.mjs', '--write')
script('deployables.mjs', '--write')
console.log(`services/${name} is created: after pnpm build it starts with the fleet. What is left to do:
  - describe its purpose in services/${name}/README.md and packages/contracts/src/deployables.ts
  - in deployables.ts also list its port, secrets, calls and events; then run: pnpm deployables --write
  - enter the services whose methods it answers into packages/contracts/src/catalogue.ts
  - add it to a group in helm/parley/files/scaling.yaml, and its user and database to the files in deploy/examples
  - render the chart again; with helm on PATH, run: pnpm check-deploy --write`)

async function enter(file, end, lines) {
  const path = inWorkspace(file)
  const text = readFileSync(path, 'utf8')
  if (!text.includes(`\n${end}`)) throw new Error(`${file}: no line begins with ${end}`)
  await writeFile(
    path,
    text.replace(`\n${end}`, () => `\n${lines.join('\n')}\n${end}`),
  )
}

/** The compact process contains every deployable except realtime. */
async function enterCompactProcess() {
  const [table, manifest] = ['src/deployables.ts', 'package.json'].map((file) => `packages/compact/${file}`)
  await enter(table, '}', [`  ${name}: prepare(read${Name}, start${Name}),`])
  const imports = `import { readConfig as read${Name} } from '@parley/${name}/config'
import { start${Name} } from '@parley/${name}/service'
`
  await writeFile(inWorkspace(table), imports + readFileSync(inWorkspace(table), 'utf8'))
  const { dependencies: present, ...others } = JSON.parse(readFileSync(inWorkspace(manifest), 'utf8'))
  const all = Object.entries({ ...present, ...dependencies(`@parley/${name}`) }).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )
  const { devDependencies, ...rest } = others
  await writeFile(inWorkspace(manifest), json({ ...rest, dependencies: Object.fromEntries(all), devDependencies }))
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: workspace, stdio: 'inherit' })
  if (status !== 0)
    throw new Error(
      `${command} ${args.join(' ')} failed; correct the cause, then run this and the commands that follow it in packages/tooling/new-service.mjs`,
    )
}

function script(file, ...args) {
  run(process.execPath, inWorkspace(`packages/tooling/${file}`), ...args)
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}
