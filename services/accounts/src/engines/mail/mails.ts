import { buildMail } from './layout.ts'
import type { Mail } from './mail.ts'

type Compose = (serverName: string) => Mail

const ifNotYou =
  'If this was not you, set a new password immediately, which signs out all sessions, and tell an administrator of this server.'
const ifNotRequested = 'If you did not request this, you can ignore this mail: nothing has changed.'

export const registrationCodeMail =
  (to: string, code: string, ttlMs: number): Compose =>
  (server) =>
    buildMail(to, `Your registration code for ${server}`, server, [
      `Enter this code to continue your registration at ${server}:`,
      { code },
      `The code is valid for ${inMinutes(ttlMs)}. Nobody from ${server} will ask you for it.`,
      'If you did not want to register, you can ignore this mail: no account is created without the code.',
    ])

/** Sent instead of a code; only the owner of the address may learn that it belongs to an account. */
export const accountExistsMail =
  (to: string, publicUrl: string): Compose =>
  (server) =>
    buildMail(to, `You already have an account at ${server}`, server, [
      `Somebody, probably you, tried to register at ${server} with this address. It already belongs to an account, so you can sign in:`,
      { link: `${publicUrl}/login`, label: 'Sign in' },
      'If you forgot your password, request a new one there.',
      ifNotRequested,
    ])

export const emailCodeMail =
  (to: string, code: string, ttlMs: number): Compose =>
  (server) =>
    buildMail(to, `Confirm your e-mail address at ${server}`, server, [
      `Enter this code to add this e-mail address to your account at ${server}:`,
      { code },
      `The code is valid for ${inMinutes(ttlMs)}. Nobody from ${server} will ask you for it.`,
      ifNotRequested,
    ])

/**
 * Sent to the ten earlier addresses of the account that were verified first, because the new one can be used to reset
 * the password.
 */
export const emailAddedMail =
  (to: string, login: string, at: Date): Compose =>
  (server) =>
    buildMail(to, `New e-mail address on your account at ${server}`, server, [
      `Another e-mail address was added to your account ${login} at ${server} on ${at.toUTCString()}.`,
      'It can now be used to request a new password.',
      ifNotYou,
    ])

/** Sent to the removed address and to the ten addresses that were verified first. */
export const emailRemovedMail =
  (to: string, login: string, at: Date): Compose =>
  (server) =>
    buildMail(to, `E-mail address removed from your account at ${server}`, server, [
      `An e-mail address of your account ${login} at ${server} was removed on ${at.toUTCString()}.`,
      'It can no longer be used to request a new password.',
      ifNotYou,
    ])

export const identityLinkedMail =
  (to: string, login: string, { provider, at }: { provider: string; at: Date }): Compose =>
  (server) =>
    buildMail(to, `New sign-in method on your account at ${server}`, server, [
      `A sign-in with ${provider} was linked to your account ${login} at ${server} on ${at.toUTCString()}.`,
      ifNotYou,
    ])

/** `endedAllAccess`: whether all sessions and other access ended too. */
export const passwordSetMail =
  (to: string, login: string, { at, endedAllAccess }: { at: Date; endedAllAccess: boolean }): Compose =>
  (server) =>
    buildMail(to, `Your password at ${server} was changed`, server, [
      `The password of your account ${login} at ${server} was set on ${at.toUTCString()}.`,
      ...(endedAllAccess
        ? [
            'All sessions were signed out. E-mail addresses and sign-in methods that were added in the last hour were removed, and so was the access of other apps. You can add them again.',
          ]
        : []),
      ifNotYou,
    ])

export const inviteMail =
  (to: string, link: string, until: Date): Compose =>
  (server) =>
    buildMail(to, `You are invited to ${server}`, server, [
      `You are invited to ${server}. You can create an account here:`,
      { link, label: 'Accept the invite' },
      `The link is only for you. It works once, until ${until.toUTCString()}.`,
      'If you do not want an account, you can ignore this mail.',
    ])

export const passwordResetMail =
  (to: string, link: string, ttlMs: number): Compose =>
  (server) =>
    buildMail(to, `Reset your password at ${server}`, server, [
      `Somebody, probably you, requested a new password at ${server}. You can set it here:`,
      { link, label: 'Set a new password' },
      `The link works once, within ${inMinutes(ttlMs)}. Setting a new password signs out all sessions.`,
      ifNotRequested,
    ])

function inMinutes(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes === 1 ? 'one minute' : `${minutes} minutes`
}
