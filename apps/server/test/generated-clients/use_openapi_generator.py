"""Uses a client made by openapi-generator; prints what it met as JSON."""

import json
import os
import re

from petstore_client import ApiClient, ApiException, Configuration, NewPet, PetStatus, PetsApi


def client(key):
    return PetsApi(ApiClient(Configuration(host=os.environ["BASE_URL"], access_token=key)))


def refusal(call):
    try:
        call()
    except ApiException as error:
        return [error.status, json.loads(error.body)["code"] if error.body else None]


pets = client(os.environ["API_KEY"])
met = {}

for name, status in [("Rex", PetStatus.AVAILABLE), ("Mia", PetStatus.SOLD), ("Zoë 🐈", PetStatus.SOLD)]:
    added = pets.create_pet(NewPet(name=name, category_id=1, status=status))
again = [pets.create_pet_with_http_info(NewPet(name="Tim", category_id=2), "one-key") for _ in range(2)]
met["created once"] = again[0].data == again[1].data
met["replayed"] = again[1].headers.get("Idempotency-Replayed")
met["request id"] = again[0].headers.get("X-Request-Id") is not None
met["sold"] = [pet.name for pet in pets.list_pets(status=PetStatus.SOLD)]

names, cursor = [], None
while True:
    page = pets.list_pets_with_http_info(limit=2, cursor=cursor)
    names += [pet.name for pet in page.data]
    following = re.search(r'[?&]cursor=([^&>]+)[^>]*>; rel="next"', page.headers.get("Link", ""))
    if following is None:
        break
    cursor = following[1]
met["all"] = names

met["304"] = refusal(lambda: pets.list_pets(limit=2, cursor=cursor, if_none_match=page.headers["ETag"]))
met["400"] = refusal(lambda: pets.list_pets(cursor="abc"))
met["401"] = refusal(lambda: client("wrong").list_pets())
met["404"] = refusal(lambda: pets.get_pet(4711))
print(json.dumps(met))
