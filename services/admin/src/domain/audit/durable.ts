/** `name`: on the stream and in the inbox. */
export const auditDurable = { service: 'admin', durable: 'audit', name: 'admin-audit' } as const
