import { knownEnvironment } from '@parley/local/known'
import { unreachable } from './failure.ts'

/** What the data folder tells of a service's environment; undefined when no fleet ever ran there. Throws when it cannot be read. */
export function knownToFolder(dataDir: string, service: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv | undefined {
  try {
    return knownEnvironment(dataDir, service, env)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const denied = 'code' in error && error.code === 'EACCES'
    throw unreachable(denied ? `${error.message}; run this as the user that runs the fleet` : error.message)
  }
}
