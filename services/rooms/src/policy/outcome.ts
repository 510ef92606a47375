/** 'nothing': everything is as requested. */
export type Outcome = 'change' | 'nothing'
