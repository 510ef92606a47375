import { hostHandle } from '@parley/credentials'
import { newHandle } from '@parley/ids'
import type { Config } from '../../config.ts'

/** If the server uses https, the handle is valid only in a `__Host-` cookie. */
export const newSessionHandle = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl.startsWith('https:') ? hostHandle(newHandle()) : newHandle()
