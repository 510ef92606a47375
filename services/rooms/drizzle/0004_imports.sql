CREATE TABLE "imported_rooms" (
	"source" text NOT NULL,
	"external_id" text NOT NULL,
	"room_id" text NOT NULL,
	CONSTRAINT "imported_rooms_source_external_id_pk" PRIMARY KEY("source","external_id")
);
