/** What is to happen at its time, once a minute, and when it is woken for what is due before. */
import { deliverMessages } from './deliver-messages.ts';
import { scheduled } from './scheduled.ts';

export const handler = scheduled('delivered', deliverMessages);
