/** A mail that is ready to be sent. */
export type Mail = { to: string; subject: string; text: string; html: string }

/** The kind of a mail, for metrics and logs, which must not contain address or text. */
export type MailKind = 'registration_code' | 'account_exists' | 'email_code' | 'password_reset' | 'invite' | NoticeKind

/** Notices of a change to the recipient's account. */
export const noticeKinds = ['email_added', 'email_removed', 'identity_linked', 'password_set'] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** A transport for mails. `send` resolves once another system has accepted the mail. */
export type Transport = AsyncDisposable & {
  send: (mail: Mail, serverName: string) => Promise<void>
}

/** Converts a mail for the library; a sender without a name gets the name of the server. */
export const asMessage = ({ to, ...mail }: Mail, from: string, serverName: string) => ({
  ...mail,
  from: from.includes('<') ? from : { name: serverName, address: from },
  // An object, so that the address is not parsed as a list or a name.
  to: { name: '', address: to },
  headers: { 'auto-submitted': 'auto-generated' },
})
