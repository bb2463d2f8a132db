#ifndef CEDAR_APP_MESSAGE_FIELDS_H_
#define CEDAR_APP_MESSAGE_FIELDS_H_

// The conversation in the body of a request: messages and tools.

#include <string>
#include <vector>

#include "app/json_fields.h"
#include "app/message.h"

namespace cedar {

// The messages of body.messages. Throws Error (kInput) that names the field.
std::vector<Message> TakeMessages(JsonFields& body);

// The functions of body.tools, as JSON of one each, as the model reads them.
std::vector<std::string> TakeTools(JsonFields& body);

}  // namespace cedar

#endif  // CEDAR_APP_MESSAGE_FIELDS_H_
