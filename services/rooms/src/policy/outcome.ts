/** What a call has to write; nothing when things stand already as wanted. */
export type Outcome = 'change' | 'nothing'
