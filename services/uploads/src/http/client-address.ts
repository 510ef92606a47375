import type { IncomingMessage } from 'node:http'
import { headerOf } from '@parley/runtime'
import type { Context } from '../context.ts'

export const addressOf = ({ clientAddress }: Pick<Context, 'clientAddress'>, request: IncomingMessage): string =>
  clientAddress(request.socket.remoteAddress, (name) => headerOf(request, name))
