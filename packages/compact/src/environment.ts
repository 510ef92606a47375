import type { CompactDeployable } from '@parley/contracts/deployables'

/**
 * The environment of one deployable of a process that holds several: each is a user of the bus, whose password is in
 * `PARLEY_NATS_PASSWORD_<DEPLOYABLE>`, as for the bus itself. Without these the bus is used as `PARLEY_NATS_USER` says.
 */
export function environmentOf(name: CompactDeployable, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const password = env[`PARLEY_NATS_PASSWORD_${name.toUpperCase()}`]
  return password ? { ...env, PARLEY_NATS_USER: name, PARLEY_NATS_PASSWORD: password } : env
}
