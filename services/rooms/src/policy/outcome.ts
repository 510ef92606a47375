/** Whether a call has to write anything, or everything already is as requested. */
export type Outcome = 'change' | 'nothing'
