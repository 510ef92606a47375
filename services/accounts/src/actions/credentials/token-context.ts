import type { Context } from '../../context.ts'
import type { TokenContext } from '../../store/flow-tokens.ts'

export function tokenContext({ config, now }: Pick<Context, 'config' | 'now'>, at = now()): TokenContext {
  const { secretKey, previousSecretKey } = config
  return { secretKey, previousSecretKey, at }
}
