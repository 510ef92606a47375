import type { CompactDeployable } from '@parley/contracts/deployables'

/**
 * The environment of one deployable in a process that runs several. If `PARLEY_NATS_PASSWORD_<DEPLOYABLE>` is set (NATS
 * reads the same variable), the deployable connects to NATS as the user of its own name, with this password. Otherwise
 * it connects as the user in `PARLEY_NATS_USER`.
 */
export function environmentOf(name: CompactDeployable, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const password = env[`PARLEY_NATS_PASSWORD_${name.toUpperCase()}`]
  return password ? { ...env, PARLEY_NATS_USER: name, PARLEY_NATS_PASSWORD: password } : env
}
