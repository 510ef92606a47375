import { create } from '@bufbuild/protobuf'
import { NewSessionSchema, type NewSession } from '@parley/contracts/internal'
import { displayNameOf } from './user.ts'

export const toNewSession = (
  user: { id: string; login: string; displayName: string | null },
  session: { token: string; cookieHandle: string; lifetimeSeconds: number } | undefined,
): NewSession =>
  create(NewSessionSchema, {
    userId: user.id,
    login: user.login,
    displayName: displayNameOf(user),
    token: session?.token ?? '',
    cookieHandle: session?.cookieHandle ?? '',
    lifetimeSeconds: session?.lifetimeSeconds ?? 0,
  })
