import { deriveServiceEnvironment } from '@parley/local/known'
import { unreachable } from './failure.ts'

export function environmentInFolder(
  dataDir: string,
  service: string,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv | undefined {
  try {
    return deriveServiceEnvironment(dataDir, service, env)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const denied = 'code' in error && error.code === 'EACCES'
    throw unreachable(denied ? `${error.message}; run this command as the user who runs the fleet` : error.message)
  }
}
