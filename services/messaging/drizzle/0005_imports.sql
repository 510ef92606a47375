CREATE TABLE "imported_messages" (
	"room_id" text NOT NULL,
	"external_id" text NOT NULL,
	"event_id" text NOT NULL,
	CONSTRAINT "imported_messages_room_id_external_id_pk" PRIMARY KEY("room_id","external_id")
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"room_id" text PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"messages" bigint NOT NULL,
	"through" timestamp (3) with time zone NOT NULL,
	"last_seq" bigint NOT NULL
);
