import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { nodeMajor } from './node-version.mjs'
import { inWorkspace, workspace } from './steps.mjs'

export const drizzleKit = inWorkspace('packages/tooling/node_modules/drizzle-kit/bin.cjs')

/**
 * Bundles the schema of a service into one CommonJS file and returns its path, because drizzle-kit does not follow
 * `.ts` imports into other packages of the workspace.
 */
export async function bundleSchema(service) {
  const schema = join(workspace, 'services', service, 'src/store/schema.ts')
  if (!existsSync(schema)) throw new Error(`${service} has no src/store/schema.ts`)
  // The bundle is written here because drizzle-orm is installed here; a service that only re-exports tables does not
  // depend on it.
  const outfile = inWorkspace(`packages/tooling/node_modules/.cache/${service}-schema.cjs`)
  await build({
    entryPoints: [schema],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: `node${nodeMajor}`,
    logLevel: 'warning',
    plugins: [{ name: 'workspace-only', setup: bundleWorkspaceOnly }],
  })
  return outfile
}

function bundleWorkspaceOnly(build) {
  build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
    kind === 'entry-point' || path.startsWith('@parley/') ? undefined : { path, external: true },
  )
}
