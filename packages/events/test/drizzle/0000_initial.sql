CREATE TABLE "inbox" (
	"consumer" text NOT NULL,
	"event_id" text NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inbox_consumer_event_id_pk" PRIMARY KEY("consumer","event_id")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"shard" integer NOT NULL,
	"aggregate" text NOT NULL,
	"subject" text NOT NULL,
	"event_id" text NOT NULL,
	"payload" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"relayed_at" timestamp with time zone,
	"stream_seq" bigint
);
--> statement-breakpoint
CREATE TABLE "outbox_leases" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"fence" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox_places" (
	"shard" integer PRIMARY KEY NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"stream_seq" bigint,
	"event_id" text,
	"relayed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "parked_events" (
	"consumer" text NOT NULL,
	"event_id" text NOT NULL,
	"subject" text NOT NULL,
	"payload" "bytea" NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"first_failed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"parked_at" timestamp with time zone,
	CONSTRAINT "parked_events_consumer_event_id_pk" PRIMARY KEY("consumer","event_id")
);
--> statement-breakpoint
CREATE INDEX "inbox_received" ON "inbox" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "outbox_waiting" ON "outbox" USING btree ("id") WHERE relayed_at is null;--> statement-breakpoint
CREATE INDEX "outbox_relayed" ON "outbox" USING btree ("relayed_at") WHERE relayed_at is not null;--> statement-breakpoint
CREATE TABLE "erasures" (
	"user_id" text NOT NULL,
	"pass" integer NOT NULL,
	"requested_at" timestamp with time zone DEFAULT now() NOT NULL,
	"found" bigint DEFAULT 0 NOT NULL,
	"reported_at" timestamp with time zone,
	CONSTRAINT "erasures_user_id_pass_pk" PRIMARY KEY("user_id","pass")
);
--> statement-breakpoint
CREATE INDEX "erasures_waiting" ON "erasures" USING btree ("requested_at") WHERE reported_at is null;
