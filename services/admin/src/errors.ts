import { Code, ConnectError } from '@connectrpc/connect'

export const roleNotFound = (name: string) => new ConnectError(`there is no role "${name}"`, Code.NotFound)
