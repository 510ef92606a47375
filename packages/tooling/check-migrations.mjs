/** Fails when a service's `src/store/schema.ts` and the migrations in its `drizzle/` differ. */
import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bundleSchema } from './schema-bundle.mjs'
import { workspace } from './steps.mjs'

const require = createRequire(import.meta.url)
const { generateDrizzleJson, generateMigration } = require('drizzle-kit/api')

async function missingStatements(service) {
  const bundle = await bundleSchema(service)
  try {
    const meta = join(workspace, 'services', service, 'drizzle/meta')
    const snapshots = existsSync(meta) ? (await readdir(meta)).filter((file) => file.endsWith('_snapshot.json')) : []
    const latest = snapshots.sort().at(-1)
    const before = latest ? JSON.parse(await readFile(join(meta, latest), 'utf8')) : generateDrizzleJson({})
    return await generateMigration(before, generateDrizzleJson(require(bundle), before.id))
  } finally {
    await rm(bundle, { force: true })
  }
}

const services = (await readdir(join(workspace, 'services'))).filter((service) =>
  existsSync(join(workspace, 'services', service, 'src/store/schema.ts')),
)
for (const service of services) {
  const missing = await missingStatements(service)
  if (missing.length === 0) continue
  console.log(
    `services/${service}: schema.ts and drizzle/ differ; run: pnpm migrations ${service}\n${missing.join('\n')}`,
  )
  process.exitCode = 1
}
