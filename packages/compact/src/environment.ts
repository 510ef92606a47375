import type { CompactDeployable } from '@parley/contracts/deployables'

/**
 * The environment of one deployable in a process that runs several. Each has its own NATS user, whose password is in
 * `PARLEY_NATS_PASSWORD_<DEPLOYABLE>`, as in the configuration of NATS. Without such a password, `PARLEY_NATS_USER`
 * applies.
 */
export function environmentOf(name: CompactDeployable, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const password = env[`PARLEY_NATS_PASSWORD_${name.toUpperCase()}`]
  return password ? { ...env, PARLEY_NATS_USER: name, PARLEY_NATS_PASSWORD: password } : env
}
