/**
 * `pnpm new:service <name>`: lays out `services/<name>` like the others: a process with configuration, health, a bus and
 * a database, ready for its first method. Prints what has to be decided by hand.
 */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { formatted } from './format.mjs'
import { inWorkspace } from './steps.mjs'

const [name] = process.argv.slice(2)
if (!name || !/^[a-z]+$/.test(name)) {
  console.log('pnpm new:service <name>   (one lower-case word, the name of the deployable)')
  process.exit(name === '--help' ? 0 : 2)
}
if (existsSync(inWorkspace(`services/${name}`))) {
  console.log(`services/${name} is there already`)
  process.exit(1)
}

const Name = name[0].toUpperCase() + name.slice(1)
const NAME = name.toUpperCase()
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
      ...['config', 'postgres', 'runtime', 'service', 'telemetry'].map((each) => `@parley/${each}`),
      'drizzle-orm',
    ),
    devDependencies: dependencies('@jest/globals', '@parley/testkit', '@types/node'),
  }),
  'tsconfig.json': json({ extends: '../../tsconfig.base.json', include: ['src', 'test'] }),
  'README.md': `# ${name}

What it owns, in a sentence. What it is not for, in another.

## Configuration

<!-- settings -->
<!-- /settings -->
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
  'src/migrate.ts': `import { runMigrations } from '@parley/postgres'

await runMigrations('${name}', new URL('../drizzle', import.meta.url))
`,
  'src/config.ts': `import { busFields, databaseFields, defineConfig, processFields } from '@parley/config'

export const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('${name}'),
})

export type Config = ReturnType<typeof readConfig>
`,
  'src/store/schema.ts': `import { pgTable, text } from 'drizzle-orm/pg-core'

export const ${name} = pgTable('${name}', {
  id: text('id').primaryKey(),
})
`,
  'src/service.ts': `import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost } from '@parley/service'
import type { Config } from './config.ts'

export type Overrides = {
  /** Gives up starting. */
  stop?: AbortSignal
}

/** Starts the deployable. */
export function start${Name}(config: Config, overrides: Overrides = {}): Promise<Service> {
  return startDatabaseHost({ name: '${name}', config, stop: overrides.stop }, compose)
}

async function compose(host: DatabaseHost): Promise<void> {
  await host.serve({ routes: () => undefined })
}
`,
  'test/start.test.ts': `import { expect, test } from '@jest/globals'
import { readiness, testDatabaseService } from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { start${Name} } from '../src/service.ts'

const parts = {
  ...{ start: start${Name}, readConfig, databaseSetting: 'PARLEY_${NAME}_DATABASE_URL' },
  migrations: new URL('../drizzle', import.meta.url),
}

test('starts, says that it is ready, and ends', async () => {
  await using ${name} = await testDatabaseService(parts, () => ({}))
  const { internalPort } = await ${name}.start()
  expect(await readiness(internalPort)).toEqual({ status: 200, body: { status: 'ready' } })
})
`,
}

for (const [file, content] of Object.entries(files)) {
  const path = inWorkspace(`services/${name}/${file}`)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, await formatted(path, content))
}
console.log(`services/${name} is laid out. Now:
  1. pnpm install && pnpm migrations ${name} --name start && pnpm config-table ${name} --write
  2. packages/contracts: name the deployable and the methods that it owns
  3. deploy/nats: a bus user with the subjects that it needs; helm/parley, deploy/compose: its deployment
  4. packages/local: start it with the fleet
  5. services/${name}/README.md: what it owns`)

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}
