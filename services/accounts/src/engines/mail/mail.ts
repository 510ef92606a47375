/** A mail that is ready to go. */
export type Mail = { to: string; subject: string; text: string; html: string }

/** The kind of a mail, for metrics and logs, which must not contain address or text. */
export type MailKind = 'registration_code' | 'account_exists' | 'email_code' | 'password_reset' | 'invite' | NoticeKind

/** Notices of a change to the recipient's account. */
export const noticeKinds = ['email_added', 'email_removed', 'identity_linked', 'password_set'] as const
export type NoticeKind = (typeof noticeKinds)[number]

/** A way for mails to leave. `send` resolves once somebody else is responsible for the mail. */
export type Transport = AsyncDisposable & {
  send: (mail: Mail, serverName: string) => Promise<void>
}

/** A mail as the library wants it; a sender without a name gets that of the server. */
export const asMessage = ({ to, ...mail }: Mail, from: string, serverName: string) => ({
  ...mail,
  from: from.includes('<') ? from : { name: serverName, address: from },
  // As an object, so that the address is not parsed as a list or a name.
  to: { name: '', address: to },
  headers: { 'auto-submitted': 'auto-generated' },
})
