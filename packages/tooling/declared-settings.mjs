import { register } from 'tsx/esm/api'
import { inWorkspace } from './steps.mjs'

/**
 * Returns one `{ name, readConfig, rows }` per program. The rows are its settings, from `describe` of `@parley/config`.
 * The programs are the deployables, the video worker, and `make run`.
 */
export async function declaredSettings() {
  register()
  const { describe } = await import(inWorkspace('packages/config/src/index.ts'))
  const { deployables } = await import(inWorkspace('packages/contracts/src/deployables.ts'))
  const programs = [
    ...Object.keys(deployables).map((name) => [name, `services/${name}/src/config.ts`, 'readConfig']),
    ['video-worker', 'services/uploads/src/video-worker/config.ts', 'readConfig'],
    ['make run', 'packages/local/src/settings.ts', 'readSettings'],
  ]
  return Promise.all(
    programs.map(async ([name, file, read]) => {
      const { [read]: readConfig } = await import(inWorkspace(file))
      return { name, readConfig, rows: describe(readConfig) }
    }),
  )
}
